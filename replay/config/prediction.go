package config

import (
	"tracekit/internal/semantics"
)

// Stack is one of the two published stacks whose replay is imitated.
type Stack string

// The stacks. They differ in a few places, such as the sections router and
// planner, which only the second has.
const (
	StackEngine Stack = "engine"
	StackDynamo Stack = "dynamo"
)

// Stacks lists all stacks, the default first.
func Stacks() []Stack { return []Stack{StackEngine, StackDynamo} }

// Prediction is one validated configuration: a workload and a deployment.
// Every default is filled in, and every rule that needs neither the trace nor
// facts about models and hardware has been checked.
type Prediction struct {
	Traffic Traffic
	Engine  Engine
	SLA     *SLA // nil when no bound is set
	Router  Router
	Planner Planner

	Stack     Stack
	Semantics semantics.Mode

	// Warnings tells what is worth knowing but does not stop the replay.
	Warnings Diagnostics

	document *node // for errors found after Load
	start    place
}

// SLA bounds what counts as a good request. It holds at least one bound.
type SLA struct {
	TTFTMs *float64 // time to first token, ms
	ITLMs  *float64 // inter-token latency, ms
	E2EMs  *float64 // end-to-end latency, ms; excludes the other two
}

// Router says how requests are placed on workers.
type Router struct {
	Policy           RouterPolicy
	PrefillLoadModel PrefillLoadModel
	// The rest counts with RouterKV only.
	OverlapScoreCredit float64
	PrefillLoadScale   float64
	Temperature        float64
}

// RouterPolicy is how a worker is chosen.
type RouterPolicy string

// The router policies.
const (
	RouterRoundRobin RouterPolicy = "round_robin"
	RouterKV         RouterPolicy = "kv_router"
)

// PrefillLoadModel is how the KV router estimates the prefill load of a worker.
type PrefillLoadModel string

// The prefill load models. "aic" in the YAML is PrefillLoadAIS.
const (
	PrefillLoadNone PrefillLoadModel = "none"
	PrefillLoadAIS  PrefillLoadModel = "ais"
)
