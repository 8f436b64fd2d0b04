package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"tracekit/cmd/tracekit/internal/cli"
	"tracekit/corpus"
)

var update = flag.Bool("update", false, "rewrite the golden texts of testdata/script")

// TestMain lets the scripts, and tests that need a process, run the command
// as `tracekit`.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"tracekit": func() { os.Exit(cli.Main(os.Args[1:], cli.System("v0.0.0-test"))) },
	})
}

// TestScripts runs testdata/script/*.txtar: each is one thing that a user
// does, and what must happen. With -update what happens is written into them.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		UpdateScripts:      *update,
		RequireUniqueNames: true,
		Condition:          condition,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":           exits,
			"demo":            demo,
			"predict-example": predictExample,
			"write":           write,
			"pack":            pack,
			"untime":          untime,
		},
	})
}

// condition knows [exists:PATH], whether the system has such a file.
func condition(name string) (bool, error) {
	path, found := strings.CutPrefix(name, "exists:")
	if !found {
		return false, fmt.Errorf("the condition %q is not known", name)
	}
	_, err := os.Stat(path)
	return err == nil, nil
}

// exits runs a command that must end with an exit code: exits CODE COMMAND
// [ARG...]. One that fails must leave every file as it was, and nothing new,
// neither in the working folder nor in the one for temporary files.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	before := listing(ts)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d instead of %d", got, want)
	}
	if want == 0 {
		return
	}
	after := listing(ts)
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if before[path] != after[path] {
			ts.Fatalf("%s is new or has changed: %q, now %q", path, before[path], after[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if after[path] == "" {
			ts.Fatalf("%s has gone", path)
		}
	}
}

// listing describes all files of a script by their paths.
func listing(ts *testscript.TestScript) map[string]string {
	files := map[string]string{}
	ts.Check(filepath.WalkDir(ts.Getenv("WORK"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		files[path] = fmt.Sprint(info.Mode(), info.ModTime())
		if entry.IsDir() {
			files[path] = info.Mode().String() // its time tells of files that came and went
		}
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files[path] += fmt.Sprintf(" %x", sha256.Sum256(text))
		}
		return nil
	}))
	return files
}

// demo makes a folder with the embedded sample corpus: demo FOLDER.
func demo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: demo FOLDER")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[0]), corpus.Demo()))
}

// predictExample copies the embedded configurations of predict into a folder:
// predict-example FOLDER.
func predictExample(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: predict-example FOLDER")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[0]), corpus.Predict()))
}

// write makes a file of what a script cannot hold as it is: write FILE
// [COUNT*]TEXT... Each text has the escapes of a Go string and is repeated
// as often as the number before its star tells.
func write(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: write FILE [COUNT*]TEXT...")
	}
	var all strings.Builder
	for _, text := range args[1:] {
		count := 1
		if number, rest, found := strings.Cut(text, "*"); found {
			if n, err := strconv.Atoi(number); err == nil {
				count, text = n, rest
			}
		}
		plain, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
		ts.Check(err)
		all.WriteString(strings.Repeat(plain, count))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(all.String()), 0o666))
}

// pack compresses a file: pack gzip|zstd FILE PACKED.
func pack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: pack gzip|zstd FILE PACKED")
	}
	text := []byte(ts.ReadFile(args[1]))
	file, err := os.Create(ts.MkAbs(args[2]))
	ts.Check(err)
	defer file.Close()
	switch args[0] {
	case "gzip":
		w := gzip.NewWriter(file)
		_, err = w.Write(text)
		ts.Check(errors.Join(err, w.Close()))
	case "zstd":
		w, err := zstd.NewWriter(file)
		ts.Check(err)
		_, err = w.Write(text)
		ts.Check(errors.Join(err, w.Close()))
	default:
		ts.Fatalf("pack: %q is not known", args[0])
	}
}

var timeRow = regexp.MustCompile(`(?m)^(time +)[0-9].*$`)

// untime copies a text and puts TIME for what the row `time` tells: untime
// stdout|stderr|FILE COPY.
func untime(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: untime stdout|stderr|FILE COPY")
	}
	text := ts.ReadFile(args[0])
	if !timeRow.MatchString(text) {
		ts.Fatalf("%s has no row `time`", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(timeRow.ReplaceAllString(text, "${1}TIME")), 0o666))
}
