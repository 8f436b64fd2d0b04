//go:build unix

// Benchcmd measures a whole command, process start to exit, and prints each
// run as a line of Go benchmark output, which benchstat reads:
//
//	benchcmd -name ConvertWeka -input DIR -count 5 -- COMMAND ARG...
//
// The command's standard output is discarded. Throughput counts the bytes of
// the files below -input.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "benchcmd:", err)
		os.Exit(1)
	}
}

func run() error {
	name := flag.String("name", "", "benchmark `name`, without the prefix Benchmark")
	input := flag.String("input", "", "`path` whose size is what the command reads")
	count := flag.Int("count", 1, "number of runs")
	flag.Parse()
	if *name == "" || flag.NArg() == 0 {
		return errors.New("usage: benchcmd -name NAME [-input PATH] [-count N] -- COMMAND ARG...")
	}
	size, err := totalSize(*input)
	if err != nil {
		return err
	}

	fmt.Printf("goos: %s\ngoarch: %s\npkg: tracekit/cmd/tracekit\n", runtime.GOOS, runtime.GOARCH)
	for range *count {
		cmd := exec.Command(flag.Arg(0), flag.Args()[1:]...)
		cmd.Stderr = os.Stderr
		start := time.Now()
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", cmd, err)
		}
		wall := time.Since(start)

		cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		fmt.Printf("Benchmark%s-%d\t1\t%d ns/op\t%d cpu-ns/op", *name, runtime.GOMAXPROCS(0), wall.Nanoseconds(), cpu.Nanoseconds())
		if size > 0 {
			fmt.Printf("\t%.2f MB/s", float64(size)/1e6/wall.Seconds())
		}
		fmt.Printf("\t%d peak-RSS-bytes\n", peakMemory(cmd.ProcessState))
	}
	return nil
}

// totalSize adds up the sizes of the regular files at and below path.
func totalSize(path string) (total int64, err error) {
	if path == "" {
		return 0, nil
	}
	err = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}

// peakMemory returns the largest resident set of a process that has ended.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss) // in bytes there, in kilobytes elsewhere
	}
	return int64(usage.Maxrss) * 1024
}
