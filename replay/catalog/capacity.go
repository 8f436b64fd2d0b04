package catalog

import (
	"fmt"
	"math"
)

// Deployment is one role of a prediction's workers, as far as it decides how
// much memory is left for the KV cache.
type Deployment struct {
	Model       *Model
	Hardware    *Hardware
	Backend     Backend
	Parallelism Parallelism

	BlockSize         uint64  // tokens of a KV block, > 0
	MaxBatchedTokens  uint64  // of a pass, > 0
	MemoryFraction    float64 // 0 … 1
	CUDAGraphReserved uint64  // bytes
}

// Capacity is the KV cache of one rank and what is taken before it. Sizes are
// bytes.
type Capacity struct {
	Blocks          uint64 `json:"num_blocks"`
	Tokens          uint64 `json:"total_kv_tokens"`
	Bytes           uint64 `json:"total_kv_bytes"`
	BytesPerToken   uint64 `json:"kv_bytes_per_token"`
	KVFormat        Format `json:"kv_dtype"`
	WeightBytes     uint64 `json:"weights_bytes"`
	ActivationBytes uint64 `json:"activations_bytes"`
	OverheadBytes   uint64 `json:"runtime_overhead_bytes"` // of the runtime
	CommBytes       uint64 `json:"comm_overhead_bytes"`    // of communication between ranks
}

// KVCapacity returns the default capacity of a deployment (kv-capacity.md).
// The error is an *[Error].
func KVCapacity(d Deployment) (Capacity, error) {
	if err := d.check(); err != nil {
		return Capacity{}, err
	}
	m := d.Model
	size, _ := d.Parallelism.log2()
	taken := usage{
		weights:     d.weights(),
		activations: d.activations(size),
		comm:        d.Hardware.Misc.NCCLBytes[1<<size],
		overhead:    d.Hardware.Misc.OtherBytes,
		reserved:    float64(d.CUDAGraphReserved),
	}
	if d.Backend == SGLang {
		taken.overhead *= sglangOverhead
	}
	budget, missing := taken.budget(d)
	if budget <= 0 {
		return Capacity{}, &Error{Field: CapacityField,
			Found: fmt.Sprintf("no memory is left for the KV cache: %.2f GB are missing on a %s with %.2f GB, of which the weights of %s take %.2f GB on each rank",
				missing/1e9, d.Hardware.Name, d.Hardware.GPU.MemoryBytes/1e9, m.Name, taken.weights/1e9),
			Remedy: "spread the model over more ranks, raise memory_fraction, lower max_batched_tokens, or name hardware with more memory"}
	}
	tokens := m.tokensIn(budget, d.Parallelism.Tensor)
	c := Capacity{
		Tokens: uint64(tokens), Bytes: uint64(budget), BytesPerToken: uint64(m.kvBytesPerToken(d.Parallelism.Tensor)), KVFormat: m.Quant.KV,
		WeightBytes: uint64(taken.weights), ActivationBytes: uint64(taken.activations), OverheadBytes: uint64(taken.overhead), CommBytes: uint64(taken.comm),
	}
	if d.Backend == SGLang {
		c.ActivationBytes = uint64(taken.activations * sglangActivations)
	}
	c.Blocks = c.Tokens / d.BlockSize
	return c, nil
}

// How much more SGLang takes than others: counted in its overhead, and only
// told of its activations.
const (
	sglangOverhead    = 1.2
	sglangActivations = 1.15
)

func (d *Deployment) check() error {
	if err := d.Model.complete(); err != nil {
		return err
	}
	if d.Hardware.DataVersion[d.Backend] == "" {
		return &Error{Field: HardwareField, Found: fmt.Sprintf("nothing is known of %s on %s", d.Backend, d.Hardware.Name),
			Rule: "there is data of " + measured(d.Backend), Remedy: "name one of these, or give the capacity as a fixed number"}
	}
	if err := d.Parallelism.check(d.Model); err != nil {
		return err
	}
	if _, known := d.Parallelism.log2(); !known {
		return &Error{Field: ParallelismField, Found: fmt.Sprintf("the memory of activations is not known for tensor %d", d.Parallelism.Tensor),
			Rule: "it is for 1, 2, 4, and 8 or more", Remedy: "choose one of these, or give the capacity as a fixed number"}
	}
	return nil
}

// usage is what of a GPU's memory is not left to the KV cache, in bytes.
type usage struct {
	weights, activations, comm, overhead, reserved float64
}

// budget returns what is left, and how many bytes are missing if nothing is.
func (u usage) budget(d Deployment) (left, missing float64) {
	memory, fraction := d.Hardware.GPU.MemoryBytes, d.MemoryFraction
	all := u.weights + u.activations + u.comm + u.overhead + u.reserved
	switch d.Backend {
	case SGLang:
		left = (memory-u.comm-u.overhead)*fraction - (u.weights + u.reserved)
		return left, -left
	case TRTLLM:
		left = (memory - all) * fraction
		return left, max(all-memory, 0)
	}
	left = memory*fraction - all
	return left, -left
}

const mebibyte = 1 << 20

// activationFactors is how many times the hidden state of a pass its
// activations take, by tensor size 1, 2, 4, 8. A mixture of experts takes
// twice as much.
var activationFactors = map[Backend][4]float64{
	VLLM:   {11, 6.5, 5, 5},
	TRTLLM: {11, 6.5, 5, 5},
	SGLang: {14, 8.5, 6.5, 6.5},
}

// activationFloor is the least that they take, in bytes.
var activationFloor = map[Backend]float64{VLLM: 70 * mebibyte, TRTLLM: 70 * mebibyte, SGLang: 90 * mebibyte}

// activations returns what the activations of a pass take, in bytes. Size is
// the row of the tables.
func (d *Deployment) activations(size int) float64 {
	m := d.Model
	s, p := shapeOf(m), d.Parallelism
	state := float64(d.MaxBatchedTokens) * (s.heads * s.headDim)
	factor := activationFactors[d.Backend][size]
	if m.Family != Llama {
		factor *= 2
	}
	bytes := 2 * state * factor
	if m.MLA != nil {
		bytes += state * float64(p.AttentionData) * s.experts * float64(m.TopK) / float64(p.MoEExpert) / 128 * 4
	}
	return math.Max(bytes, activationFloor[d.Backend])
}
