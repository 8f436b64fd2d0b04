package corpus

// rawKnobs is measured on the kv-cache-tester corpus: 710 recordings of coding
// sessions with 48,658 outer and 676 nested requests.
var rawKnobs = wekaKnobs{
	profile: 1,
	style:   styleRaw,
	firstID: 1,
	sessions: []weighted[wekaSession]{
		{385, wekaSession{ // 385 plays that start below 500 blocks
			first: quantiles{{0, 99}, {100, 151}, {500, 183}, {1000, 205}, {2000, 244}, {3000, 271}, {5000, 296}, {7000, 316}, {9000, 360}, {9500, 410}, {10000, 496}},
			turns: quantiles{{0, 3}, {100, 3}, {500, 7}, {1000, 12}, {2000, 23}, {3000, 36}, {4000, 53}, {5000, 68}, {6000, 84}, {7000, 103}, {8000, 130}, {9000, 180}, {9500, 247}, {9900, 395}, {9980, 514}, {10000, 1178}},
			large: 1800,
		}},
		{226, wekaSession{ // 226 plays resumed in the small window
			first: quantiles{{0, 519}, {500, 638}, {1000, 727}, {2000, 1010}, {3000, 1045}, {4000, 1204}, {5000, 1398}, {6000, 1545}, {7000, 1713}, {8000, 1927}, {9000, 2201}, {9900, 2848}, {10000, 2918}},
			turns: quantiles{{0, 3}, {500, 4}, {1000, 5}, {2000, 8}, {3000, 17}, {4000, 22}, {5000, 30}, {6000, 40}, {7000, 57}, {8000, 84}, {9000, 152}, {9500, 234}, {10000, 242}},
			large: 4800,
		}},
		{99, wekaSession{ // 99 plays resumed in the large window
			first: quantiles{{0, 3073}, {500, 3223}, {1000, 3386}, {2000, 3845}, {3000, 4067}, {4000, 4461}, {5000, 4849}, {6000, 5598}, {7000, 6523}, {8000, 7486}, {9000, 9501}, {9500, 12355}, {10000, 13310}},
			turns: quantiles{{0, 3}, {500, 4}, {2000, 6}, {3000, 12}, {4000, 15}, {5000, 21}, {6000, 26}, {7000, 34}, {8000, 47}, {9000, 61}, {9500, 94}, {10000, 118}},
			large: certain,
		}},
	},
	prefix: quantiles{{0, 65}, {100, 134}, {500, 157}, {1000, 185}, {2000, 196}, {3000, 205}, {4000, 230}, {6000, 237}, {8000, 242}, {9000, 248}, {9500, 262}, {9900, 330}, {10000, 360}},
	most:   13_974,
	models: wekaModels{
		main:     []string{"ursa-large-4", "ursa-medium-4", "ursa-large-3", "ursa-medium-3"},
		weights:  []int{46, 29, 14, 11},
		casts:    []int{679, 30, 1},
		preamble: 3300,
	},

	earlyUntil:  500,
	earlyGrowth: quantiles{{0, 1}, {100, 2}, {1000, 3}, {2500, 5}, {5000, 11}, {7500, 49}, {9000, 186}, {9900, 905}, {10000, 3000}},
	growth:      quantiles{{0, 1}, {100, 2}, {500, 2}, {1000, 3}, {2000, 5}, {3000, 6}, {4000, 8}, {5000, 11}, {6000, 14}, {7000, 20}, {8000, 28}, {9000, 48}, {9500, 80}, {9800, 145}, {9900, 220}, {9950, 320}, {9990, 880}, {10000, 3500}},
	smallWindow: quantiles{{0, 1600}, {1000, 2100}, {2000, 2250}, {5000, 2400}, {9000, 2800}, {10000, 3100}},
	largeWindow: quantiles{{0, 3700}, {2000, 5300}, {5000, 9000}, {10000, 13900}},
	compacted:   quantiles{{0, 154}, {500, 200}, {1000, 259}, {2000, 408}, {3000, 464}, {5000, 611}, {6000, 751}, {7000, 1041}, {8000, 1369}, {9000, 1603}, {9500, 1797}, {10000, 2100}},
	rehash:      90,
	forget:      1000,
	branch:      20,
	nudge:       490,

	out:        quantiles{{0, 1}, {6, 2}, {50, 38}, {100, 58}, {500, 89}, {1000, 105}, {2000, 126}, {3000, 148}, {4000, 176}, {5000, 216}, {6000, 273}, {7000, 363}, {8000, 516}, {9000, 899}, {9500, 1544}, {9800, 2741}, {9900, 3663}, {9950, 5015}, {9990, 8013}, {10000, 18195}},
	noOutput:   6,
	noise:      serviceNoise,
	pause:      quantiles{{0, 1000}, {100, 2370}, {500, 3400}, {1000, 3990}, {2000, 4960}, {3000, 5980}, {4000, 7260}, {5000, 9090}, {6000, 12020}, {6500, 14360}, {7000, 17570}, {7500, 22960}, {8000, 34590}, {8500, 58000}, {9000, 115000}, {9500, 304860}, {9800, 908670}, {9900, 2389690}, {9950, 3750170}, {9970, 7000000}, {9990, 27000000}, {9999, 50000000}, {10000, 77589750}},
	overlap:    11,
	clock:      1000,
	streamed:   1740,
	unrecorded: 5093,
	unthinking: 24,

	subagents: wekaSubagents{
		model:       "ursa-small-4",
		plays:       239,
		turns:       250,
		atLeastOnce: true,
		batches:     []int{8, 5, 4},
		kinds: []weighted[wekaSubagentKind]{
			{55, wekaSubagentKind{name: "Explore"}},
			{6, wekaSubagentKind{name: "general-purpose", background: 6700, main: true}},
			{2, wekaSubagentKind{name: "Plan", main: true}},
		},
		calls:        quantiles{{0, 2}, {500, 4}, {1000, 5}, {2000, 6}, {3000, 8}, {4000, 10}, {5000, 11}, {7000, 12}, {8000, 14}, {9000, 17}, {9500, 22}, {10000, 24}},
		first:        quantiles{{0, 138}, {1000, 142}, {2000, 149}, {3000, 154}, {5000, 161}, {6000, 171}, {8000, 183}, {9000, 191}, {9500, 208}, {10000, 285}},
		growth:       subagentGrowth,
		most:         2100,
		pause:        subagentPause,
		markedAtEnd:  true,
		wholeSeconds: true,
	},
}

// serviceNoise is how recorded service times, in percent, scatter around the
// formula in [wekaBuilder.service]; measured on 44,346 requests.
var serviceNoise = quantiles{{0, 40}, {100, 56}, {500, 65}, {1000, 70}, {2500, 81}, {5000, 97}, {7500, 120}, {9000, 145}, {9500, 161}, {9900, 197}, {9990, 300}, {10000, 600}}

// subagentGrowth is the number of new blocks from one nested request to the next;
// measured on 613 pairs.
var subagentGrowth = quantiles{{0, 1}, {100, 3}, {1000, 8}, {2500, 14}, {5000, 39}, {7500, 90}, {9000, 170}, {9900, 700}, {10000, 1200}}

// subagentPause is the time from the end of one nested request to the start of
// the next; measured on 613 pairs.
var subagentPause = quantiles{{0, 680}, {500, 1890}, {1000, 2260}, {2000, 2780}, {3000, 3190}, {5000, 3900}, {6000, 4500}, {7000, 5470}, {8000, 7720}, {9000, 29010}, {9500, 46240}, {9900, 74850}, {10000, 133040}}
