package cli

import (
	"github.com/spf13/cobra"

	"tracekit/replay/config"
)

func newSchema(world World) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the configuration of predict",
		Long: "Print the JSON Schema of the configuration that `tracekit predict` takes. Editors use it\n" +
			"to complete and check the file; rules that join several settings are not in it.",
		Example: "  tracekit schema > prediction.schema.json\n" +
			"  # then, in the first line of prediction.yaml, for editors with the YAML language server:\n" +
			"  # yaml-language-server: $schema=prediction.schema.json",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := world.Stdout.Write(config.Schema())
			return err
		},
	}
}
