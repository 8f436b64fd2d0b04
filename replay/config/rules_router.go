package config

import "strings"

// routerKnobs are the numbers of the KV router.
var routerKnobs = []string{"overlap_score_credit", "prefill_load_scale", "temperature"}

// router checks that settings of the KV router come with it, and that it has
// a choice.
func (c *checker) router(r, e, planner *section) {
	if !r.ok("policy") {
		return
	}
	if r.text("policy") == string(RouterRoundRobin) {
		by := "the policy round_robin"
		if !r.present("policy") {
			by += ", which is the default"
		}
		for _, name := range routerKnobs {
			if r.has(name) {
				c.reject(r, name, name+" with "+by, strings.Join(routerKnobs, ", ")+" with kv_router only")
			}
		}
		if model := r.section("prefill_load_model"); model.ok("type") && model.text("type") != string(PrefillLoadNone) {
			c.reject(model, "type", model.text("type")+" with "+by, "none, but for kv_router")
		}
		return
	}
	if !c.mode.LoneWorkerRoutingRefused() || !planner.ok("policy") || planner.text("policy") == "enabled" {
		return
	}
	workers := e.section("workers")
	for _, role := range []Role{RoleAggregated, RolePrefill, RoleDecode} {
		worker := workers.section(string(role))
		if worker == nil {
			if workers == nil || !workers.ok(string(role)) {
				return
			}
			continue
		}
		p := worker.section("parallelism")
		if !p.ok("replicas", "attention_data") || p.whole("replicas") > 1 || p.whole("attention_data") > 1 {
			return
		}
	}
	c.rejectWith(r, "policy", "kv_router where no pool has two candidates", "replicas or attention_data above 1 in a pool, or an enabled planner", onlyDocumented())
}
