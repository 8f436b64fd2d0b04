package config

import (
	"math/bits"

	"tracekit/formats"
)

// engine checks the rules that join settings of the engine, and of the engine
// and the traffic.
func (c *checker) engine(e, traffic *section) {
	if e.ok("hardware") && e.text("hardware") == "auto" {
		c.reject(e, "hardware", "auto", "the name of the hardware")
	}
	workers := e.section("workers")
	for _, role := range []Role{RoleAggregated, RolePrefill, RoleDecode} {
		c.worker(e, workers.section(string(role)))
	}
	if e.ok("backend", "enable_chunked_prefill") && e.text("backend") == string(SGLang) && !e.truth("enable_chunked_prefill") {
		c.rejectLate(e, "enable_chunked_prefill", "false with the backend sglang", "true")
	}
	if e.ok("mode") && workers != nil {
		if e.text("mode") == string(Aggregated) {
			c.aggregated(e, workers)
		} else {
			c.disaggregated(e, workers, traffic)
		}
	}
	c.graphBackend(e, traffic)
}

// aggregated checks that there are the workers of this mode and no others.
func (c *checker) aggregated(e, workers *section) {
	if !workers.present("aggregated") || workers.null("aggregated") {
		c.reject(workers, "aggregated", "missing", "the workers of mode aggregated; {} is enough")
	}
	for _, role := range []string{"prefill", "decode"} {
		if workers.has(role) {
			c.rejectWith(workers, role, role+" workers in mode aggregated", "aggregated workers only", "set engine.mode to disaggregated")
		}
	}
	if e.has("kv_transfer") {
		c.reject(e, "kv_transfer", "kv_transfer in mode aggregated", "kv_transfer in mode disaggregated only")
	}
	if worker := workers.section("aggregated"); worker.has("hardware") {
		c.reject(worker, "hardware", "hardware of one role in mode aggregated", "engine.hardware alone")
	}
}

// disaggregated checks that there are the workers of this mode and no others,
// and what the documented rules ask beyond the program.
func (c *checker) disaggregated(e, workers, traffic *section) {
	if workers.has("aggregated") {
		c.reject(workers, "aggregated", "aggregated workers in mode disaggregated", "prefill and decode workers")
	}
	for _, role := range []string{"prefill", "decode"} {
		if !workers.present(role) || workers.null(role) {
			c.reject(workers, role, "missing", "the "+role+" workers of mode disaggregated; {} is enough")
		}
	}
	if c.mode.TransferRequired() && e.ok("kv_transfer") && !e.has("kv_transfer") {
		c.rejectWith(e, "kv_transfer", "missing", "a mapping in mode disaggregated; {} is enough", onlyDocumented())
	}
	if c.mode.DisaggregatedTRTLLMRefused() && e.ok("backend") && e.text("backend") == string(TRTLLM) {
		c.rejectWith(e, "backend", "trtllm in mode disaggregated", "vllm or sglang", onlyDocumented())
	}
	c.blockSizes(e, workers)
	source := traffic.section("source")
	if source == nil || source.tag != string(SourceTrace) || !source.ok("format") {
		return
	}
	format := formats.Name(source.text("format"))
	if format == formats.MooncakeDelta {
		c.reject(e, "mode", "disaggregated with the format mooncake-delta", "aggregated")
	}
	if c.mode.DisaggregatedGraphsRefused() && isGraph(format) {
		c.rejectWith(e, "mode", "disaggregated with the format "+string(format), "aggregated", onlyDocumented())
	}
}

// blockSizes checks that prefill and decode workers have equal blocks.
func (c *checker) blockSizes(e, workers *section) {
	prefill, decode := workers.section("prefill").section("kv_cache"), workers.section("decode").section("kv_cache")
	if !e.ok("backend") || !prefill.ok("block_size") || !decode.ok("block_size") {
		return
	}
	backend := Backend(e.text("backend"))
	if blockSize(prefill, backend) == blockSize(decode, backend) {
		return
	}
	const found, allowed = "prefill and decode workers have blocks of different sizes", "one block size"
	switch {
	case c.mode.BlockSizesMustAgree():
		remedy := ""
		if c.stack == StackEngine {
			remedy = onlyDocumented() // on the dynamo stack the program fails, too
		}
		c.rejectWith(decode, "block_size", found, allowed, remedy)
	case c.stack == StackDynamo:
		c.rejectLate(decode, "block_size", found, allowed)
	}
}

// blockSize is the tokens of a block, given or by default.
func blockSize(cache *section, backend Backend) int {
	if cache.has("block_size") {
		return cache.whole("block_size")
	}
	size, _ := cacheSetting("block_size").byBackend[backend].(int)
	return size
}

// cacheSetting is a setting of kv_cache, which is the same for every role.
func cacheSetting(name string) *setting {
	worker := find(engineSchema.settings, "workers").settings[0]
	return find(find(worker.settings, "kv_cache").settings, name)
}

// graphBackend checks that agentic graphs run on a backend that takes them.
func (c *checker) graphBackend(e, traffic *section) {
	source := traffic.section("source")
	if source == nil || source.tag != string(SourceTrace) || !source.ok("format") || !e.ok("backend") {
		return
	}
	if format := formats.Name(source.text("format")); isGraph(format) && e.text("backend") == string(TRTLLM) {
		c.reject(e, "backend", "trtllm with the format "+string(format), "vllm or sglang")
	}
}

// worker checks the rules within one worker.
func (c *checker) worker(e, w *section) {
	if w == nil {
		return
	}
	if w.has("hardware") && w.text("hardware") == "auto" {
		c.reject(w, "hardware", "auto", "the name of the hardware")
	}
	scheduler, cache, timing := w.section("scheduler"), w.section("kv_cache"), w.section("timing")
	if e.ok("backend") {
		backend := e.text("backend")
		if scheduler.ok("prefill_schedule_interval") && backend != string(VLLM) && scheduler.whole("prefill_schedule_interval") != 1 {
			c.reject(scheduler, "prefill_schedule_interval", "an interval other than 1 with the backend "+backend, "1, but for vllm")
		}
		if scheduler.ok("prefill_decode_interval") && backend != string(SGLang) && scheduler.whole("prefill_decode_interval") != 0 {
			c.reject(scheduler, "prefill_decode_interval", "an interval other than 0 with the backend "+backend, "0, but for sglang")
		}
		if cache.has("block_size") && backend != string(SGLang) && cache.whole("block_size") < 2 {
			c.reject(cache, "block_size", "a block_size below 2 with the backend "+backend, "an integer >= 2, in tokens")
		}
	}
	c.capacity(cache)
	c.timing(timing)
}

// timing checks that durations are given with fixed timing, and only there.
func (c *checker) timing(timing *section) {
	if !timing.ok("type") {
		return
	}
	kind := timing.text("type")
	for _, name := range []string{"prefill_ms", "decode_ms"} {
		switch {
		case !timing.ok(name):
		case kind == string(TimingFixed) && !timing.has(name):
			c.reject(timing, name, "missing", "both prefill_ms and decode_ms with type fixed")
		case kind != string(TimingFixed) && timing.has(name):
			c.reject(timing, name, name+" with type "+kind, "durations with type fixed only")
		}
	}
}

// capacity checks that a fixed capacity has one size, and a default one none.
func (c *checker) capacity(cache *section) {
	capacity := cache.section("capacity")
	if !capacity.ok("type") {
		return
	}
	if capacity.text("type") == string(CapacityDefault) {
		for _, name := range []string{"blocks", "bytes"} {
			if capacity.has(name) {
				c.rejectWith(capacity, name, name+" with type default", name+" with type fixed only", "set type: fixed")
			}
		}
		return
	}
	if capacity.has("memory_fraction") {
		c.reject(capacity, "memory_fraction", "memory_fraction with type fixed", "memory_fraction with type default only")
	}
	if capacity.ok("cuda_graph_reserved_bytes") && capacity.whole("cuda_graph_reserved_bytes") != 0 {
		c.reject(capacity, "cuda_graph_reserved_bytes", "reserved memory with type fixed", "cuda_graph_reserved_bytes with type default only")
	}
	if !capacity.ok("blocks", "bytes") {
		return
	}
	if capacity.has("blocks") == capacity.has("bytes") {
		found := "neither blocks nor bytes"
		if capacity.has("blocks") {
			found = "both blocks and bytes"
		}
		c.report(newDiagnostic(capacity.at, capacity.path, found, "exactly one of blocks and bytes with type fixed"))
		return
	}
	if capacity.has("bytes") && cache.ok("block_size", "bytes_per_token") {
		for _, name := range []string{"block_size", "bytes_per_token"} {
			if cache.has(name) && cache.wholeOrNil(name) != nil {
				continue
			}
			c.reject(cache, name, "no number of "+name+" beside capacity.bytes", "an integer >= 1")
			return
		}
		if wholeBlocks(cache) < 1 {
			c.reject(capacity, "bytes", "fewer bytes than one block has", "at least block_size * bytes_per_token")
		}
	}
}

// wholeBlocks is how many blocks the bytes of a fixed capacity hold.
func wholeBlocks(cache *section) int {
	high, block := bits.Mul64(uint64(cache.whole("block_size")), uint64(cache.whole("bytes_per_token")))
	if high > 0 || block == 0 {
		return 0
	}
	return int(uint64(cache.section("capacity").whole("bytes")) / block)
}
