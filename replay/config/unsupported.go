package config

import "tracekit/formats"

// Unsupported returns an error, of type [Diagnostics], when p asks for
// something that is valid but not built yet.
func Unsupported(p *Prediction) error {
	var all Diagnostics
	refuse := func(path, what, instead string) {
		all = append(all, p.Problem(path, what+" is not supported yet", instead, ""))
	}
	if t := p.Traffic.Source.Trace; t != nil {
		switch t.Format {
		case formats.MooncakeDelta, formats.AppliedComputeAgentic, formats.Dynamo:
			refuse("traffic.source.format", "the format "+string(t.Format), "mooncake, agentic_mooncake or weka")
		}
	}
	if p.Engine.Backend != VLLM {
		refuse("engine.backend", "the backend "+string(p.Engine.Backend), string(VLLM))
	}
	if p.Engine.Mode != Aggregated {
		refuse("engine.mode", "the mode "+string(p.Engine.Mode), string(Aggregated))
	}
	for _, w := range p.Engine.Workers.All() {
		if w.Timing.Type == TimingDefault {
			refuse(w.Path()+".timing.type", "the timing default", "fixed or polynomial")
		}
	}
	if p.Router.Policy != RouterRoundRobin {
		refuse("router.policy", "the policy "+string(p.Router.Policy), string(RouterRoundRobin))
	}
	if p.Planner.Enabled {
		refuse("planner.policy", "the planner", "disabled")
	}
	return all.err()
}
