package corpus

// agentxKnobs follows the facts published about the AgentX sets of May and
// June 2026: 113,254 requests in 472 plays; 29 % of plays with subagents,
// 1,053 of them with 27,504 nested requests, up to 5 at once; contexts in a
// small window (200k tokens) and a large one (1M tokens). What is not
// published is taken from the raw recordings.
var agentxKnobs = wekaKnobs{
	profile: 2,
	style:   styleAgentX,
	sessions: []weighted[wekaSession]{
		{55, wekaSession{
			first: rawKnobs.sessions[0].is.first,
			turns: quantiles{{0, 3}, {1000, 14}, {2500, 42}, {5000, 110}, {7500, 240}, {9000, 470}, {9900, 1350}, {10000, 3050}},
			large: 6500,
		}},
		{30, wekaSession{
			first: rawKnobs.sessions[1].is.first,
			turns: quantiles{{0, 3}, {1000, 8}, {2500, 25}, {5000, 65}, {7500, 160}, {9000, 350}, {9900, 1000}, {10000, 2000}},
			large: 6500,
		}},
		{15, wekaSession{
			first: rawKnobs.sessions[2].is.first,
			turns: quantiles{{0, 3}, {1000, 5}, {2500, 14}, {5000, 40}, {7500, 90}, {9000, 180}, {9900, 500}, {10000, 1000}},
			large: certain,
		}},
	},
	prefix: rawKnobs.prefix,
	most:   16_400,
	models: wekaModels{
		main:     []string{"ursa-large-5", "ursa-medium-5", "ursa-large-4"},
		weights:  []int{5, 3, 2},
		casts:    []int{70, 22, 8},
		preamble: 3300,
	},

	earlyUntil:  500,
	earlyGrowth: rawKnobs.earlyGrowth,
	growth:      rawKnobs.growth,
	smallWindow: quantiles{{0, 1800}, {2000, 2400}, {5000, 2700}, {10000, 3100}},
	largeWindow: quantiles{{0, 4000}, {2000, 7000}, {5000, 12000}, {9000, 15600}, {10000, 16300}},
	compacted:   rawKnobs.compacted,
	rehash:      80,
	forget:      500,
	branch:      20,
	nudge:       490,

	out:      rawKnobs.out,
	noOutput: 6,
	noise:    serviceNoise,
	pause:    rawKnobs.pause,
	overlap:  11,
	clock:    1,
	streamed: 5000,

	subagents: wekaSubagents{
		model:       "ursa-small-5",
		declared:    true,
		plays:       2900,
		turns:       150,
		atLeastOnce: true,
		batches:     []int{50, 25, 31, 13, 18}, // largest number at once in 137 plays
		kinds: []weighted[wekaSubagentKind]{
			{70, wekaSubagentKind{name: "Explore", background: 1000}},
			{25, wekaSubagentKind{name: "general-purpose", background: 3500, main: true}},
			{5, wekaSubagentKind{name: "Plan", main: true}},
		},
		calls:      quantiles{{0, 2}, {1000, 6}, {2500, 11}, {5000, 20}, {7500, 33}, {9000, 55}, {9900, 105}, {10000, 160}},
		first:      rawKnobs.subagents.first,
		growth:     subagentGrowth,
		most:       2100,
		pause:      subagentPause,
		noDuration: 1500,
	},
}
