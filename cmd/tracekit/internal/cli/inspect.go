package cli

import "github.com/spf13/cobra"

func newInspect(world World) *cobra.Command {
	return &cobra.Command{Use: "inspect", RunE: func(*cobra.Command, []string) error { return nil }}
}
