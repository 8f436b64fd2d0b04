package config

var routerSchema = setting{name: "router", kind: mappingValue, implied: true, stack: StackDynamo, doc: "How requests are placed on workers; --stack dynamo only.", settings: []setting{
	{name: "policy", kind: choiceValue, words: []string{string(RouterRoundRobin), string(RouterKV)}, preset: string(RouterRoundRobin), doc: "How a worker is chosen."},
	{name: "prefill_load_model", kind: mappingValue, implied: true, doc: "How the prefill load of a worker is estimated; kv_router only.", settings: []setting{
		{name: "type", kind: choiceValue, words: []string{string(PrefillLoadNone), "aic", string(PrefillLoadAIS)}, preset: string(PrefillLoadNone), doc: "aic and ais are two names of one model."},
	}},
	{name: "overlap_score_credit", kind: realValue, low: from(0), doc: "Credit for cached blocks; kv_router only, where 1 is the default."},
	{name: "prefill_load_scale", kind: realValue, low: from(0), doc: "Weight of the prefill load; kv_router only, where 1 is the default."},
	{name: "temperature", kind: realValue, low: from(0), doc: "Randomness of the choice; kv_router only, where 0 is the default."},
}}
