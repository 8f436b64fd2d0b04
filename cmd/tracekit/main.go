// Command tracekit reads, checks, converts and describes traces of LLM
// serving. See the README for a tour and `tracekit help` for its commands.
package main

import (
	"os"

	"tracekit/cmd/tracekit/internal/cli"
)

// version is set when a release is built.
var version string

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.System(version)))
}
