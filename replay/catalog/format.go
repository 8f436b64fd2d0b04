package catalog

// Format is a form of stored numbers.
type Format string

// BFloat16 is the form of numbers that are not quantised.
const BFloat16 Format = "bfloat16"

// formatBytes is what an element takes in each form, in bytes.
var formatBytes = map[Format]float64{
	BFloat16:           2,
	"fp8":              1,
	"fp8_static":       1,
	"fp8_block":        1,
	"int8":             1,
	"int8_wo":          1,
	"sq":               1,
	"nvfp4":            9. / 16, // with its scales
	"int4_wo":          0.5,
	"w4a16_mxfp4":      0.5,
	"w4afp8":           0.5,
	"w4a8_mxfp4_mxfp8": 0.5,
}

// Bytes returns what an element takes, 0 if the form is not known.
func (f Format) Bytes() float64 { return formatBytes[f] }
