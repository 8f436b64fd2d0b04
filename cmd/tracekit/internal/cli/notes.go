package cli

import "fmt"

// notes is a stream for what a person should know, line by line. Progress
// makes room for them.
type notes struct{ above *progress }

// Write implements [io.Writer].
func (n notes) Write(line []byte) (int, error) {
	n.above.mu.Lock()
	defer n.above.mu.Unlock()
	n.above.clear()
	if _, err := fmt.Fprintf(n.above.w, "tracekit: note: %s", line); err != nil {
		return 0, err
	}
	return len(line), nil
}
