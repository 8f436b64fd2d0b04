package config

// Engine is the deployment.
type Engine struct {
	Mode           EngineMode
	Model          string
	Hardware       string
	Backend        Backend
	BackendVersion *string // nil: the newest that is supported
	// ContextLength is in tokens. Nil stands for "max", the model's maximum.
	ContextLength        *int
	EnableChunkedPrefill bool
	Workers              Workers
	// KVTransfer is nil unless the mode is disaggregated; there it may be nil
	// under the program's rules, which makes the transfer free.
	KVTransfer *KVTransfer
}

// EngineMode is the topology.
type EngineMode string

// The topologies.
const (
	Aggregated    EngineMode = "aggregated"
	Disaggregated EngineMode = "disaggregated"
)

// Backend is the serving engine whose scheduler is imitated.
type Backend string

// The backends.
const (
	VLLM   Backend = "vllm"
	SGLang Backend = "sglang"
	TRTLLM Backend = "trtllm"
)

// Workers is the worker pools by role: Aggregated alone, or Prefill and Decode.
type Workers struct {
	Aggregated *Worker
	Prefill    *Worker
	Decode     *Worker
}

// Role is what a pool of workers does.
type Role string

// The roles, each the name of its mapping in engine.workers.
const (
	RoleAggregated Role = "aggregated"
	RolePrefill    Role = "prefill"
	RoleDecode     Role = "decode"
)

// All lists the pools that there are: aggregated, or prefill and decode.
func (w *Workers) All() []*Worker {
	var all []*Worker
	for _, worker := range []*Worker{w.Aggregated, w.Prefill, w.Decode} {
		if worker != nil {
			all = append(all, worker)
		}
	}
	return all
}

// Worker is one pool of equal workers.
type Worker struct {
	Role          Role
	Hardware      string // engine.hardware unless the role has its own
	ContextLength *int   // tokens; engine.context_length unless the role has its own; nil for "max"
	Parallelism   Parallelism
	Scheduler     Scheduler
	KVCache       KVCache
	Timing        Timing
	// StartupSeconds delays workers that scaling adds.
	StartupSeconds float64
}

// Path is the dotted path of the worker's mapping.
func (w *Worker) Path() string { return "engine.workers." + string(w.Role) }

// Parallelism is how many workers there are and how a model is split in one.
// All counts are at least 1.
type Parallelism struct {
	Replicas      int // workers of the pool
	Tensor        int // GPUs per attention rank
	Pipeline      int // stages
	AttentionData int // attention-data-parallel ranks, each with a cache of its own
	MoETensor     int
	MoEExpert     int
}

// GPUs is the GPUs of one worker, of which pipeline stages are not counted.
func (p Parallelism) GPUs() int { return p.Tensor * p.AttentionData }

// Scheduler bounds one pass of a rank.
type Scheduler struct {
	MaxBatchedTokens        int // tokens per pass
	MaxSequences            int // sequences in flight
	PrefillScheduleInterval int // passes; vllm only, else 1
	PrefillDecodeInterval   int // passes; sglang only, else 0
}

// KVCache is the cache of one rank.
type KVCache struct {
	BlockSize     int // tokens
	PrefixCaching bool
	BytesPerToken *int // bytes; nil for "auto"
	Capacity      Capacity
}

// CapacityType says where the size of the cache comes from.
type CapacityType string

// The kinds of capacities.
const (
	CapacityDefault CapacityType = "default"
	CapacityFixed   CapacityType = "fixed"
)

// Capacity is the size of the cache of one rank.
type Capacity struct {
	Type CapacityType
	// Blocks counts with CapacityFixed only: as given, or the whole blocks in
	// the bytes given.
	Blocks int
	// MemoryFraction is the share of GPU memory, 0 to 1, of CapacityDefault.
	MemoryFraction float64
	// CUDAGraphReservedBytes is left free by CapacityDefault.
	CUDAGraphReservedBytes int
}

// TimingType says where the duration of a pass comes from.
type TimingType string

// The kinds of timing.
const (
	TimingDefault    TimingType = "default"
	TimingFixed      TimingType = "fixed"
	TimingPolynomial TimingType = "polynomial"
)

// Timing is how long a pass takes.
type Timing struct {
	Type TimingType
	// The two durations, in ms per pass, count with TimingFixed only.
	PrefillMs float64
	DecodeMs  float64
}

// TransferTiming is which part of a prompt the transfer is paid for.
type TransferTiming string

// The parts of a prompt that are paid for.
const (
	TransferDestinationMissing TransferTiming = "destination_missing"
	TransferFullPrompt         TransferTiming = "full_prompt"
)

// KVTransfer is how the cache of a prompt gets from prefill to decode.
type KVTransfer struct {
	BytesPerToken        *int     // bytes per token; nil for "auto"
	BandwidthGBPerSecond *float64 // 10^9 bytes/s; nil: the transfer takes no time
	TimingMode           TransferTiming
}
