package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Backend is an inference engine.
type Backend string

// The engines that facts are known for.
const (
	VLLM   Backend = "vllm"
	SGLang Backend = "sglang"
	TRTLLM Backend = "trtllm"
)

// Hardware is what is known of a system.
type Hardware struct {
	Name string  `json:"-"`
	GPU  GPU     `json:"gpu"`
	Node Node    `json:"node"`
	Misc Reserve `json:"misc"`
	// DataVersion is the version of each backend that was measured on it by
	// default; a backend that was not has none.
	DataVersion map[Backend]string `json:"default_data_version"`
}

// GPU is one accelerator. Rates are per second.
type GPU struct {
	MemoryBandwidth     float64 `json:"mem_bw"` // bytes
	MemoryBandwidthUsed float64 `json:"mem_bw_empirical_scaling_factor"`
	MemoryLatency       float64 `json:"mem_empirical_constant_latency"` // seconds
	MemoryBytes         float64 `json:"mem_capacity"`
	BFloat16Flops       float64 `json:"bfloat16_tc_flops"`
	Int8Flops           float64 `json:"int8_tc_flops"`
	FP8Flops            float64 `json:"fp8_tc_flops"` // 0 if it has no such units
	FP4Flops            float64 `json:"fp4_tc_flops"`
	SMVersion           int     `json:"sm_version"`
}

// Node is a machine with several GPUs. Bandwidths are bytes per second.
type Node struct {
	GPUs           int     `json:"num_gpus_per_node"`
	InterBandwidth float64 `json:"inter_node_bw"`
	IntraBandwidth float64 `json:"intra_node_bw"`
	PCIeBandwidth  float64 `json:"pcie_bw"`
	P2PLatency     float64 `json:"p2p_latency"` // seconds
}

// Reserve is GPU memory that is taken before any model is loaded, in bytes.
type Reserve struct {
	NCCLBytes  map[int]float64 `json:"nccl_mem"` // by tensor size
	OtherBytes float64         `json:"other_mem"`
}

// FindHardware returns the system of that name. The error is an *[Error] of
// the [HardwareField].
func FindHardware(name string) (*Hardware, error) {
	h, known := systems()[name]
	if !known {
		return nil, &Error{Field: HardwareField, Found: fmt.Sprintf("the hardware %q is not known", name),
			Rule: "there are " + strings.Join(HardwareNames(), ", "), Remedy: didYouMean(nearest(name, HardwareNames()))}
	}
	h.Name = name
	return &h, nil
}

// HardwareNames lists the known systems by name.
func HardwareNames() []string { return slices.Sorted(maps.Keys(systems())) }

// measured lists the systems that are known for a backend.
func measured(backend Backend) string {
	var names []string
	for _, name := range HardwareNames() {
		if h := systems()[name]; h.DataVersion[backend] != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
