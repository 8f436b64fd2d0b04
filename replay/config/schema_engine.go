package config

var engineSchema = setting{name: "engine", kind: mappingValue, required: true, doc: "The deployment.", settings: append([]setting{
	{name: "mode", kind: choiceValue, words: []string{string(Aggregated), string(Disaggregated)}, preset: string(Aggregated), doc: "The topology."},
	{name: "model", kind: textValue, required: true, doc: "A model name, or a folder with its config.json."},
	{name: "hardware", kind: textValue, required: true, doc: "The name of the accelerator, as h200_sxm."},
	{name: "backend", kind: choiceValue, words: []string{string(VLLM), string(SGLang), string(TRTLLM)}, preset: string(VLLM), doc: "The serving engine."},
	{name: "backend_version", kind: textValue, null: true, doc: "Its version, between quotes; the newest supported one when absent."},
	{name: "context_length", kind: wholeValue, low: from(1), words: []string{"max"}, unit: "tokens", preset: "max", doc: "The longest context; max is the model's own maximum."},
	{name: "enable_chunked_prefill", kind: boolValue, preset: true, doc: "Whether long prompts are spread over several passes."},
	{name: "workers", kind: mappingValue, implied: true, doc: "The pools of workers: aggregated, or prefill and decode.", settings: append([]setting{
		workerSchema(RoleAggregated, 256),
		workerSchema(RolePrefill, 1),
		workerSchema(RoleDecode, 256),
	}, foreign("encoder")...)},
	{name: "kv_transfer", kind: mappingValue, null: true, doc: "How the cache of a prompt gets from prefill to decode; disaggregated only.", settings: []setting{
		{name: "bytes_per_token", kind: wholeValue, low: from(1), words: []string{"auto"}, unit: "bytes per token", preset: "auto", doc: "Size of the cache of one token; auto takes it from the model."},
		{name: "bandwidth_gb_per_second", kind: realValue, null: true, low: above(0), unit: "10^9 bytes/s", doc: "Without it the transfer takes no time."},
		{name: "timing_mode", kind: choiceValue, words: []string{string(TransferDestinationMissing), string(TransferFullPrompt)}, preset: string(TransferDestinationMissing),
			doc: "Whether the blocks missing at the destination or the whole prompt is paid for."},
	}},
}, foreign(
	"tokenization", "nextn", "nextn_accepted", "speculation", "enable_eplb", "decoder_replay", "enable_shared_layer", "strict_provenance",
	"wideep_num_slots", "moe_backend", "moe_kernel_source", "attention_backend",
	"gemm_quant_mode", "moe_quant_mode", "kvcache_quant_mode", "fmha_quant_mode", "comm_quant_mode",
	"database_mode", "transfer_policy", "systems_path", "systems_paths", "estimation_mode", "fallback_policy", "estimator_config", "fpm_profile", "afd",
)...)}

// workerSchema is the settings of the workers of one role, which differ in
// how many sequences a worker takes by default.
func workerSchema(role Role, maxSequences int) setting {
	return setting{name: string(role), kind: mappingValue, null: true, doc: "The " + string(role) + " workers.", settings: append([]setting{
		{name: "hardware", kind: textValue, doc: "Of this role alone, in disaggregated mode."},
		{name: "context_length", kind: wholeValue, null: true, low: from(1), unit: "tokens", doc: "Of this role alone."},
		{name: "parallelism", kind: mappingValue, implied: true, doc: "How many workers there are, and how one is split.", settings: append([]setting{
			{name: "replicas", kind: wholeValue, low: from(1), unit: "workers", preset: 1, doc: "Workers of this role."},
			{name: "tensor", kind: wholeValue, low: from(1), unit: "GPUs", preset: 1, doc: "Tensor parallelism."},
			{name: "pipeline", kind: wholeValue, low: from(1), unit: "stages", preset: 1, doc: "Pipeline parallelism."},
			{name: "attention_data", kind: wholeValue, low: from(1), unit: "ranks", preset: 1, doc: "Attention data parallelism: ranks with a cache of their own."},
			{name: "moe_tensor", kind: wholeValue, low: from(1), preset: 1, doc: "Tensor parallelism of the experts."},
			{name: "moe_expert", kind: wholeValue, low: from(1), preset: 1, doc: "Expert parallelism."},
		}, foreign("prefill_context", "decode_context")...)},
		{name: "scheduler", kind: mappingValue, implied: true, doc: "Bounds of one pass.", settings: []setting{
			{name: "max_batched_tokens", kind: wholeValue, low: from(1), unit: "tokens per pass", preset: 8192, doc: "Tokens of a pass."},
			{name: "max_sequences", kind: wholeValue, low: from(1), unit: "sequences", preset: maxSequences, doc: "Sequences in flight."},
			{name: "prefill_schedule_interval", kind: wholeValue, low: from(1), unit: "passes", preset: 1, doc: "Passes from one prefill to the next; vllm only."},
			{name: "prefill_decode_interval", kind: wholeValue, low: from(0), unit: "passes", preset: 0, doc: "Decode passes between prefills; sglang only."},
		}},
		{name: "kv_cache", kind: mappingValue, implied: true, doc: "The cache of one rank.", settings: append([]setting{
			{name: "block_size", kind: wholeValue, null: true, low: from(1), unit: "tokens", byBackend: map[Backend]any{VLLM: 64, SGLang: 1, TRTLLM: 32}, doc: "Tokens of a block."},
			{name: "prefix_caching", kind: boolValue, lenient: true, preset: true, doc: "Whether prompts reuse cached blocks."},
			{name: "bytes_per_token", kind: wholeValue, low: from(1), words: []string{"auto"}, unit: "bytes", preset: "auto", doc: "Needed with capacity.bytes."},
			{name: "capacity", kind: mappingValue, implied: true, doc: "Its size.", settings: []setting{
				{name: "type", kind: choiceValue, words: []string{string(CapacityDefault), string(CapacityFixed)}, preset: string(CapacityDefault), doc: "Computed from the GPU memory, or fixed."},
				{name: "memory_fraction", kind: realValue, null: true, low: above(0), high: upTo(1), byBackend: map[Backend]any{VLLM: 0.9, SGLang: 0.88, TRTLLM: 0.9}, doc: "Share of the GPU memory, for type default."},
				{name: "blocks", kind: wholeValue, null: true, low: from(1), unit: "blocks per rank", doc: "For type fixed."},
				{name: "bytes", kind: wholeValue, null: true, low: from(1), unit: "bytes per rank", doc: "For type fixed, in place of blocks; block_size and bytes_per_token are needed with it."},
				{name: "cuda_graph_reserved_bytes", kind: wholeValue, low: from(0), high: upTo(1 << 53), unit: "bytes", preset: 0, doc: "Memory left free, for type default."},
			}},
		}, foreign("host_offload", "g3_offload", "kvcr", "state_cache", "prefix_match_unit")...)},
		{name: "timing", kind: mappingValue, implied: true, doc: "How long a pass takes.", settings: append([]setting{
			{name: "type", kind: choiceValue, words: []string{string(TimingDefault), string(TimingFixed), string(TimingPolynomial)}, preset: string(TimingDefault), doc: "From performance tables, fixed, or a polynomial."},
			{name: "prefill_ms", kind: realValue, null: true, lenient: true, low: from(0), unit: "ms per pass", doc: "For type fixed."},
			{name: "decode_ms", kind: realValue, null: true, lenient: true, low: from(0), unit: "ms per pass", doc: "For type fixed."},
		}, foreign("database_mode", "transfer_policy", "systems_path", "systems_paths", "estimation_mode", "fallback_policy", "estimator_config", "fpm_profile")...)},
		{name: "startup_seconds", kind: realValue, lenient: true, low: from(0), unit: "s", preset: 0.0, doc: "Delay of a worker that scaling adds."},
	}, foreign("host_loop", "frontend", "host_profile", "vision")...)}
}
