package config

import (
	"tracekit/formats"
)

var trafficSchema = setting{name: "traffic", kind: mappingValue, doc: "The workload.",
	preset: `{source: {type: synthetic}, load: {type: concurrency}, stop: {requests: 100}}`,
	settings: []setting{
		{name: "source", kind: unionValue, required: true, doc: "Where requests come from.", union: []variant{
			{tag: string(SourceSynthetic), doc: "Independent requests of equal lengths.", settings: append([]setting{
				{name: "input_tokens", kind: wholeValue, low: from(1), unit: "tokens", preset: 1024, doc: "Length of each prompt."},
				{name: "output_tokens", kind: wholeValue, low: from(1), unit: "tokens", preset: 128, doc: "Length of each answer."},
			}, foreign("cached_prefix_tokens", "images")...)},
			{tag: string(SourceSyntheticSession), doc: "Conversations of equal shape.", settings: append([]setting{
				{name: "new_input_tokens_per_turn", kind: wholeValue, low: from(1), unit: "tokens", preset: 1024, doc: "What each turn adds to the prompt."},
				{name: "output_tokens_per_turn", kind: wholeValue, low: from(1), unit: "tokens", preset: 128, doc: "Length of each answer."},
				{name: "session", kind: mappingValue, required: true, doc: "The shape of a conversation.", settings: []setting{
					{name: "turns", kind: wholeValue, low: from(2), unit: "turns", preset: 4, doc: "Requests of a session."},
					{name: "shared_prefix_ratio", kind: realValue, low: from(0), high: upTo(1), preset: 0.0, doc: "Share of the first prompt that a group has in common."},
					{name: "prefix_groups", kind: wholeValue, low: from(0), preset: 0, doc: "Number of groups with a prefix in common."},
					{name: "inter_turn_delay_ms", kind: realValue, low: from(0), unit: "ms", preset: 0.0, doc: "From an answer to the next turn."},
				}},
			}, foreign("images")...)},
			{tag: string(SourceTrace), doc: "Recorded requests.", settings: []setting{
				{name: "paths", kind: textsValue, required: true, doc: "The trace, relative to the working directory; several shards for dynamo only."},
				{name: "format", kind: choiceValue, preset: string(formats.Mooncake), doc: "The format of the trace.", words: []string{
					string(formats.Mooncake), string(formats.MooncakeDelta), string(formats.AgenticMooncake),
					string(formats.AppliedComputeAgentic), string(formats.Dynamo), string(formats.Weka),
				}},
				{name: "block_size", kind: wholeValue, null: true, low: from(1), unit: "tokens", doc: "Tokens for which one block hash stands: 512; with dynamo and weka the data tells."},
				{name: "nested_timestamp_basis", kind: choiceValue, doc: "What timestamps of nested requests count from; weka only.", words: []string{
					string(NestedBasisAuto), string(NestedBasisAbsolute), string(NestedBasisRelative),
				}},
			}},
		}},
		{name: "load", kind: mappingValue, required: true, doc: "When requests are admitted.", settings: append([]setting{
			{name: "type", kind: choiceValue, preset: string(LoadConcurrency), doc: "The shape of the load.", words: []string{
				string(LoadConcurrency), string(LoadConstantRate), string(LoadPoisson), string(LoadTraceTimestamps),
			}},
			{name: "concurrency", kind: wholeValue, null: true, low: from(1), unit: "requests or sessions in flight", doc: "For concurrency: 10 when absent."},
			{name: "requests_per_second", kind: realValue, null: true, low: above(0), unit: "1/s", doc: "For constant_rate and poisson with a synthetic source."},
			{name: "sessions_per_second", kind: realValue, null: true, low: above(0), unit: "1/s", doc: "For constant_rate and poisson with a synthetic-session source."},
			{name: "seed", kind: wholeValue, unsigned: true, null: true, low: from(0), doc: "Of the random arrivals of poisson: 42 when absent."},
			{name: "speedup", kind: realValue, null: true, low: above(0), doc: "For trace_timestamps: the factor by which the recorded times are shortened, 1 when absent."},
			{name: "agentic_lanes", kind: wholeValue, null: true, low: from(1), unit: "lanes", doc: "For trace_timestamps: plays that run at a time."},
		}, foreign("agentic_snapshot", "agentic_warmup", "agentic_warmup_policy", "agentic_profile")...)},
		{name: "stop", kind: mappingValue, null: true, doc: "When admission ends. Generated sources need exactly one count.", settings: []setting{
			{name: "requests", kind: wholeValue, null: true, low: from(1), unit: "requests", doc: "Of a synthetic source."},
			{name: "requests_per_load_unit", kind: realValue, null: true, low: above(0), unit: "requests per load unit", doc: "The same as a multiple of the concurrency, or of the rate in 1/s."},
			{name: "sessions", kind: wholeValue, null: true, low: from(1), unit: "sessions", doc: "Of a synthetic-session source."},
			{name: "sessions_per_load_unit", kind: realValue, null: true, low: above(0), unit: "sessions per load unit", doc: "The same as a multiple of the concurrency, or of the rate in 1/s."},
			{name: "max_virtual_time_seconds", kind: realValue, null: true, low: above(0), unit: "s", doc: "Virtual time after which a trace admits no more."},
		}},
	}}
