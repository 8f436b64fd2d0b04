package config

func buildEngine(e *section) Engine {
	out := Engine{
		Mode:                 EngineMode(e.text("mode")),
		Model:                e.text("model"),
		Hardware:             e.text("hardware"),
		Backend:              Backend(e.text("backend")),
		ContextLength:        e.wholeOrNil("context_length"),
		EnableChunkedPrefill: e.truth("enable_chunked_prefill"),
	}
	if e.has("backend_version") {
		out.BackendVersion = new(e.text("backend_version"))
	}
	workers := e.section("workers")
	out.Workers = Workers{
		Aggregated: buildWorker(&out, RoleAggregated, workers),
		Prefill:    buildWorker(&out, RolePrefill, workers),
		Decode:     buildWorker(&out, RoleDecode, workers),
	}
	if t := e.section("kv_transfer"); t != nil {
		out.KVTransfer = &KVTransfer{
			BytesPerToken:        t.wholeOrNil("bytes_per_token"),
			BandwidthGBPerSecond: t.realOrNil("bandwidth_gb_per_second"),
			TimingMode:           TransferTiming(t.text("timing_mode")),
		}
	}
	return out
}

func buildWorker(e *Engine, role Role, workers *section) *Worker {
	w := workers.section(string(role))
	if w == nil {
		return nil
	}
	parallelism, scheduler, timing := w.section("parallelism"), w.section("scheduler"), w.section("timing")
	out := &Worker{
		Role:          role,
		Hardware:      e.Hardware,
		ContextLength: e.ContextLength,
		Parallelism: Parallelism{
			Replicas:      parallelism.whole("replicas"),
			Tensor:        parallelism.whole("tensor"),
			Pipeline:      parallelism.whole("pipeline"),
			AttentionData: parallelism.whole("attention_data"),
			MoETensor:     parallelism.whole("moe_tensor"),
			MoEExpert:     parallelism.whole("moe_expert"),
		},
		Scheduler: Scheduler{
			MaxBatchedTokens:        scheduler.whole("max_batched_tokens"),
			MaxSequences:            scheduler.whole("max_sequences"),
			PrefillScheduleInterval: scheduler.whole("prefill_schedule_interval"),
			PrefillDecodeInterval:   scheduler.whole("prefill_decode_interval"),
		},
		KVCache: buildKVCache(w.section("kv_cache"), e.Backend),
		Timing: Timing{
			Type:      TimingType(timing.text("type")),
			PrefillMs: timing.real("prefill_ms"),
			DecodeMs:  timing.real("decode_ms"),
		},
		StartupSeconds: w.real("startup_seconds"),
	}
	if w.has("hardware") {
		out.Hardware = w.text("hardware")
	}
	if w.has("context_length") {
		out.ContextLength = w.wholeOrNil("context_length")
	}
	return out
}

func buildKVCache(k *section, backend Backend) KVCache {
	out := KVCache{
		BlockSize:     blockSize(k, backend),
		PrefixCaching: k.truth("prefix_caching"),
		BytesPerToken: k.wholeOrNil("bytes_per_token"),
	}
	c := k.section("capacity")
	out.Capacity = Capacity{Type: CapacityType(c.text("type"))}
	switch {
	case out.Capacity.Type == CapacityDefault:
		out.Capacity.MemoryFraction = memoryFraction(c, backend)
		out.Capacity.CUDAGraphReservedBytes = c.whole("cuda_graph_reserved_bytes")
	case c.has("blocks"):
		out.Capacity.Blocks = c.whole("blocks")
	default:
		out.Capacity.Blocks = wholeBlocks(k)
	}
	return out
}

// memoryFraction is the share of GPU memory, given or by default.
func memoryFraction(capacity *section, backend Backend) float64 {
	if capacity.has("memory_fraction") {
		return capacity.real("memory_fraction")
	}
	fraction, _ := find(cacheSetting("capacity").settings, "memory_fraction").byBackend[backend].(float64)
	return fraction
}
