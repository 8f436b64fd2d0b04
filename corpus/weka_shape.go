package corpus

// What went into and came out of a request, as it is printed, weighted by how
// often it was seen in the kv-cache-tester corpus. Rare mixtures are left out.
var (
	openingShapes = []weighted[string]{
		{828, `"input_types":["text"],"output_types":["text","thinking","tool_use"],"stop":"tool_use"`},
		{547, `"input_types":["text"],"output_types":["text","tool_use"],"stop":"tool_use"`},
		{330, `"input_types":["text"],"output_types":["thinking","tool_use"],"stop":"tool_use"`},
		{281, `"input_types":["text"],"output_types":["text"],"stop":"end_turn"`},
	}
	callShapes = []weighted[string]{
		{10854, `"input_types":["tool_result"],"output_types":["text","tool_use"],"stop":"tool_use"`},
		{9875, `"input_types":["tool_result"],"output_types":["thinking","tool_use"],"stop":"tool_use"`},
		{8017, `"input_types":["tool_result"],"output_types":["tool_use"],"stop":"tool_use"`},
		{6682, `"input_types":["tool_result"],"output_types":["text","thinking","tool_use"],"stop":"tool_use"`},
		{1023, `"input_types":["tool_result"],"output_types":["text"],"stop":"end_turn"`},
		{828, `"input_types":["text"],"output_types":["text","thinking","tool_use"],"stop":"tool_use"`},
		{768, `"input_types":["tool_result"],"output_types":["text","thinking"],"stop":"end_turn"`},
		{547, `"input_types":["text"],"output_types":["text","tool_use"],"stop":"tool_use"`},
		{330, `"input_types":["text"],"output_types":["thinking","tool_use"],"stop":"tool_use"`},
		{315, `"input_types":["text"],"output_types":["tool_use"],"stop":"tool_use"`},
		{281, `"input_types":["text"],"output_types":["text"],"stop":"end_turn"`},
		{162, `"input_types":["text","thinking","tool_result","tool_use"],"output_types":["text","thinking","tool_use"],"stop":"tool_use"`},
		{154, `"input_types":["text","tool_result","tool_use"],"output_types":["text","tool_use"],"stop":"tool_use"`},
	}
	streamedShapes = []weighted[string]{
		{1947, `"input_types":["tool_result"],"output_types":["text"],"stop":"tool_use"`},
		{1623, `"input_types":["text"],"output_types":["text"],"stop":"tool_use"`},
		{290, `"input_types":["text"],"output_types":["text"],"stop":"end_turn"`},
		{177, `"input_types":["tool_result"],"output_types":["text"],"stop":"end_turn"`},
	}
	unrecordedShapes = []weighted[string]{
		{2810, `"input_types":["text"],"output_types":[],"stop":""`},
		{1448, `"input_types":["tool_result"],"output_types":[],"stop":""`},
		{34, `"input_types":["text","thinking","tool_result","tool_use"],"output_types":[],"stop":""`},
	}
)

// emptyShape is that of a request that ended without output.
const emptyShape = `"input_types":["text"],"output_types":["text"],"stop":""`

// shape chooses the shape of a call whose times are known.
func (b *wekaBuilder) shape(call *wekaCall, opening bool) string {
	switch {
	case call.service == missing:
		return *choose(b.dice, unrecordedShapes)
	case call.out == 0:
		return emptyShape
	case call.streamed:
		return *choose(b.dice, streamedShapes)
	case opening:
		return *choose(b.dice, openingShapes)
	default:
		return *choose(b.dice, callShapes)
	}
}
