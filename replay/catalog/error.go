package catalog

// Field tells which setting of a deployment is at fault.
type Field string

// The settings that a catalog can find at fault.
const (
	ModelField       Field = "model"
	HardwareField    Field = "hardware"
	ParallelismField Field = "parallelism" // of the worker
	CapacityField    Field = "capacity"    // of the worker's KV cache
)

// Error is a fact that is missing or does not fit.
type Error struct {
	Field  Field
	Found  string // what is wrong
	Rule   string // what is allowed
	Remedy string // how to mend it; may be empty

	cause error
}

// Error tells everything in one line but the setting, whose full name the
// caller knows.
func (e *Error) Error() string {
	text := e.Found
	if e.Rule != "" {
		text += "; " + e.Rule
	}
	if e.Remedy != "" {
		text += " (to mend it: " + e.Remedy + ")"
	}
	return text
}

// Unwrap returns the system's error behind this one, if there is one.
func (e *Error) Unwrap() error { return e.cause }
