package corpus

// plainKnobs is a simple guess rather than a measurement: nearly alike plays
// of one model, in which every request is complete. 1,000 plays make about
// 42,800 requests and 137 MB, the corpus performance figures refer to.
var plainKnobs = wekaKnobs{
	profile: 3,
	style:   stylePlain,
	firstID: 780, // as in sets whose ids do not start at 0; most ids have four digits
	sessions: []weighted[wekaSession]{{1, wekaSession{
		first: evenly(120, 320),
		turns: exponential32,
	}}},
	prefix: always(100),
	most:   4000,
	models: wekaModels{main: []string{"ursa-large-5"}, weights: []int{1}, casts: []int{1}},

	growth:      lognormal12,
	smallWindow: always(2600),
	compacted:   always(320),

	out:   lognormal200,
	noise: always(100),
	pause: exponential3s,
	clock: 1,

	subagents: wekaSubagents{
		model:    "ursa-large-5",
		declared: true,
		plays:    certain,
		turns:    600,
		batches:  []int{1},
		kinds: []weighted[wekaSubagentKind]{
			{1, wekaSubagentKind{name: "Explore", background: 2500, main: true}},
		},
		calls:  evenly(2, 9),
		first:  evenly(120, 200),
		growth: lognormal12,
		most:   2600,
		pause:  exponential3s,
	},
}

// exponential32 has the quantiles -32·ln(1-p).
var exponential32 = quantiles{{0, 1}, {1000, 3}, {2500, 9}, {5000, 22}, {7500, 43}, {9000, 71}, {9500, 92}, {9900, 139}, {9990, 205}, {10000, 300}}

// exponential3s has the quantiles -3000·ln(1-p), in milliseconds.
var exponential3s = quantiles{{0, 0}, {1000, 316}, {2500, 863}, {5000, 2079}, {7500, 4159}, {9000, 6908}, {9500, 8987}, {9900, 13816}, {9990, 20723}, {10000, 34500}}

// lognormal12 has the quantiles exp(2.5 + 0.95·z).
var lognormal12 = quantiles{{0, 1}, {100, 1}, {500, 3}, {1000, 4}, {2500, 6}, {5000, 12}, {7500, 23}, {9000, 41}, {9500, 58}, {9900, 111}, {9990, 230}, {10000, 500}}

// lognormal200 has the quantiles exp(5.3 + 1.1·z).
var lognormal200 = quantiles{{0, 4}, {100, 16}, {500, 33}, {1000, 49}, {2500, 95}, {5000, 200}, {7500, 421}, {9000, 820}, {9500, 1223}, {9900, 2589}, {9990, 6000}, {10000, 12000}}
