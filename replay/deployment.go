package replay

import (
	"errors"
	"fmt"

	"tracekit/replay/catalog"
	"tracekit/replay/config"
	"tracekit/replay/engine"
	"tracekit/replay/engine/vllm"
	"tracekit/replay/timing"
)

// SettingError is a setting that facts about models and hardware rule out.
type SettingError struct {
	Path string // as `engine.model`
	Err  error
	// Late tells that the reference program finds out only when it runs: the
	// exit code is 1 and not 2 (predict.md 4.6).
	Late bool
}

// Error names the setting and what is wrong.
func (e *SettingError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap gives what is wrong.
func (e *SettingError) Unwrap() error { return e.Err }

// pool is a pool of workers with everything known that a replay needs.
type pool struct {
	worker      *config.Worker
	parallelism config.Parallelism
	rank        vllm.Config
}

// mostRanks bounds the schedulers of a replay: a few bytes of configuration
// must not ask for gigabytes.
const mostRanks = 1 << 16

// resolve looks up what the worker leaves to facts: the context length and
// the capacity of its KV cache.
func resolve(p *config.Prediction, w *config.Worker, opts Options) (*pool, error) {
	if replicas, ranks := w.Parallelism.Replicas, w.Parallelism.AttentionData; ranks > mostRanks || replicas > mostRanks/ranks {
		return nil, &SettingError{Path: w.Path() + ".parallelism", Err: fmt.Errorf("%d replicas of %d attention-data ranks are more than the %d that a replay simulates", replicas, ranks, mostRanks)}
	}
	out := &pool{worker: w, parallelism: w.Parallelism}
	limit, blocks, err := lookUp(p, w, opts)
	if err != nil {
		return nil, err
	}
	out.rank = vllm.Config{
		Blocks:          blocks,
		BlockSize:       w.KVCache.BlockSize,
		MaxBatched:      w.Scheduler.MaxBatchedTokens,
		MaxSequences:    w.Scheduler.MaxSequences,
		MaxModelLength:  limit,
		PrefixCaching:   w.KVCache.PrefixCaching,
		ChunkedPrefill:  p.Engine.EnableChunkedPrefill,
		PrefillInterval: w.Scheduler.PrefillScheduleInterval,
		Ranks:           w.Parallelism.AttentionData,
	}
	switch w.Timing.Type {
	case config.TimingPolynomial:
		out.rank.Timing = timing.Polynomial{PoolTokens: blocks * w.KVCache.BlockSize}
	default:
		out.rank.Timing = timing.NewFixed(w.Timing.PrefillMs, w.Timing.DecodeMs)
	}
	return out, nil
}

// lookUp returns the context limit in tokens and the blocks of a rank. The
// catalog is asked only for what the configuration does not say.
func lookUp(p *config.Prediction, w *config.Worker, opts Options) (limit, blocks int, err error) {
	byCapacity := w.KVCache.Capacity.Type == config.CapacityDefault
	if w.ContextLength != nil && !byCapacity {
		return *w.ContextLength, w.KVCache.Capacity.Blocks, nil
	}
	model, err := catalog.FindModel(p.Engine.Model, opts.Hub)
	if err != nil {
		return 0, 0, missingFact(p, w, err)
	}
	if model.AliasOf != "" {
		fmt.Fprintf(opts.Notes, "engine.model: %s has the shape of %s, whose facts are used\n", model.Name, model.AliasOf)
	}
	if w.ContextLength != nil {
		limit = *w.ContextLength
	} else {
		declared, err := model.DeclaredContext()
		if err != nil {
			return 0, 0, missingFact(p, w, err)
		}
		limit = int(declared)
	}
	if !byCapacity {
		return limit, w.KVCache.Capacity.Blocks, nil
	}
	blocks, err = defaultCapacity(p, w, model)
	if err != nil {
		return 0, 0, missingFact(p, w, err)
	}
	return limit, blocks, nil
}

// defaultCapacity returns the blocks that the memory of a rank leaves room for.
func defaultCapacity(p *config.Prediction, w *config.Worker, model *catalog.Model) (blocks int, err error) {
	hardware, err := catalog.FindHardware(w.Hardware)
	if err != nil {
		return 0, err
	}
	capacity, err := catalog.KVCapacity(catalog.Deployment{
		Model: model, Hardware: hardware, Backend: catalog.Backend(p.Engine.Backend),
		Parallelism: catalog.Parallelism{
			Tensor: w.Parallelism.Tensor, Pipeline: w.Parallelism.Pipeline, AttentionData: w.Parallelism.AttentionData,
			MoETensor: w.Parallelism.MoETensor, MoEExpert: w.Parallelism.MoEExpert,
		},
		BlockSize: uint64(w.KVCache.BlockSize), MaxBatchedTokens: uint64(w.Scheduler.MaxBatchedTokens),
		MemoryFraction: w.KVCache.Capacity.MemoryFraction, CUDAGraphReserved: uint64(w.KVCache.Capacity.CUDAGraphReservedBytes),
	})
	if err != nil {
		return 0, err
	}
	if capacity.Blocks == 0 {
		return 0, &catalog.Error{Field: catalog.CapacityField, Found: "the memory left for the cache holds less than one block",
			Rule: "a rank needs one block at least", Remedy: "choose smaller blocks, more GPUs or a larger memory_fraction"}
	}
	return int(capacity.Blocks), nil
}

// missingFact points an error of the catalog at its setting.
func missingFact(p *config.Prediction, w *config.Worker, err error) error {
	path := "engine.model"
	var e *catalog.Error
	if errors.As(err, &e) {
		switch e.Field {
		case catalog.HardwareField:
			path = "engine.hardware"
		case catalog.ParallelismField:
			path = w.Path() + ".parallelism"
		case catalog.CapacityField:
			path = w.Path() + ".kv_cache.capacity"
		}
	}
	byCapacity := w.KVCache.Capacity.Type == config.CapacityDefault
	late := p.Semantics.MissingFactsFoundLate() && (w.Timing.Type == config.TimingDefault || !byCapacity)
	return &SettingError{Path: path, Err: err, Late: late}
}

// workers makes the replicas of the pool.
func (p *pool) workers() []*engine.Worker {
	var all []*engine.Worker
	for id := range p.parallelism.Replicas {
		ranks := make([]engine.Scheduler, p.parallelism.AttentionData)
		for i := range ranks {
			ranks[i] = vllm.New(p.rank)
		}
		all = append(all, engine.NewWorker(id, ranks))
	}
	return all
}
