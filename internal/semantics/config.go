package semantics

// DuplicateKeysRefused tells whether a key that stands twice in one mapping of
// the prediction YAML is refused. The program takes the last one.
func (m Mode) DuplicateKeysRefused() bool { return m == Documented }

// WideNumbersRefused tells whether integers beyond 64 bits and infinite times
// are errors of the configuration. The program fails later, with exit code 1.
func (m Mode) WideNumbersRefused() bool { return m == Documented }

// TransferRequired tells whether disaggregated mode needs engine.kv_transfer.
func (m Mode) TransferRequired() bool { return m == Documented }

// DisaggregatedTRTLLMRefused tells whether the backend trtllm is refused in
// disaggregated mode.
func (m Mode) DisaggregatedTRTLLMRefused() bool { return m == Documented }

// DisaggregatedGraphsRefused tells whether agentic_mooncake and weka traces
// are refused in disaggregated mode.
func (m Mode) DisaggregatedGraphsRefused() bool { return m == Documented }

// BlockSizesMustAgree tells whether different block sizes of prefill and
// decode workers are an error of the configuration.
func (m Mode) BlockSizesMustAgree() bool { return m == Documented }

// MaxContextForVLLMOnly tells whether context_length: max means the model's
// maximum for vllm alone, and no limit for sglang and trtllm.
func (m Mode) MaxContextForVLLMOnly() bool { return m == AISimulate013 }

// LoneWorkerRoutingRefused tells whether kv_router is refused where it never
// has a choice.
func (m Mode) LoneWorkerRoutingRefused() bool { return m == Documented }

// TokenBoundsTogether tells whether evaluation.sla needs ttft_ms and itl_ms
// together.
func (m Mode) TokenBoundsTogether() bool { return m == Documented }

// PlannerGraphsRefused tells whether an enabled planner is refused with
// mooncake-delta, agentic_mooncake, weka and agentic dynamo traces.
func (m Mode) PlannerGraphsRefused() bool { return m == Documented }

func configDifferences() []Difference {
	return []Difference{
		{"DuplicateKeysRefused", "a duplicate key in the prediction YAML",
			"configuration error, both lines named", "the last one counts; a warning says so", Mode.DuplicateKeysRefused},
		{"WideNumbersRefused", "an integer beyond 64 bits, or an infinite timing or startup_seconds",
			"configuration error, exit 2", "exit 1", Mode.WideNumbersRefused},
		{"TransferRequired", "mode disaggregated without engine.kv_transfer",
			"configuration error", "runs; the transfer takes no time", Mode.TransferRequired},
		{"DisaggregatedTRTLLMRefused", "mode disaggregated with the backend trtllm",
			"configuration error", "runs", Mode.DisaggregatedTRTLLMRefused},
		{"DisaggregatedGraphsRefused", "mode disaggregated with an agentic_mooncake or weka trace",
			"configuration error at engine.mode", "runs", Mode.DisaggregatedGraphsRefused},
		{"BlockSizesMustAgree", "block sizes of prefill and decode workers differ",
			"configuration error, exit 2", "dynamo stack: exit 1; engine stack: runs", Mode.BlockSizesMustAgree},
		{"MaxContextForVLLMOnly", "context_length: max with sglang or trtllm",
			"the model's maximum, as for vllm", "no limit; the model is not looked up", Mode.MaxContextForVLLMOnly},
		{"LoneWorkerRoutingRefused", "kv_router where no pool has two candidates and no planner adds any",
			"configuration error", "runs", Mode.LoneWorkerRoutingRefused},
		{"TokenBoundsTogether", "ttft_ms or itl_ms alone",
			"configuration error", "either alone", Mode.TokenBoundsTogether},
		{"PlannerGraphsRefused", "planner with mooncake-delta, agentic_mooncake, weka or agentic dynamo traces",
			"configuration error", "runs", Mode.PlannerGraphsRefused},
	}
}
