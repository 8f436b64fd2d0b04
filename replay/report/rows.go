package report

import "strconv"

// rows are the records of requests as rows, in their order.
type rows struct {
	records []*Record
	options *Options
}

// write writes all rows as a list.
func (r rows) write(w *jsonWriter) {
	w.open('[')
	for _, record := range r.records {
		r.row(w, record)
	}
	w.close(']')
}

// row writes one row. Here as in all that it calls, keys are sorted.
func (r rows) row(w *jsonWriter, record *Record) {
	stays := staysOf(record)
	first, last := Aggregated, Aggregated
	if r.options.Disaggregated {
		first, last = Prefill, Decode
	}
	one, two := record.OutputLength >= 1, record.OutputLength >= 2
	var handover Handover
	if record.Handover != nil {
		handover = *record.Handover
	}

	w.open('{')
	w.key("admission_count").int(len(record.Admissions))
	w.key("admission_history")
	writeAdmissions(w, record.Admissions)
	if record.Agentic != nil {
		w.key("agentic")
		writeAgentic(w, record)
	}
	w.key("arrival_time_ms").real(record.ArrivalMs)
	w.key("decode_admit_ms").realIf(stays[Decode].admissions > 0, stays[Decode].admittedMs)
	w.key("decode_reused_input_tokens").intIf(stays[Decode].admissions > 0, stays[Decode].reused)
	w.key("decode_route_overlap_tokens").intIf(stays[Decode].routed, stays[Decode].overlap)
	w.key("decode_worker_idx").intIf(stays[last].routed, r.scheduler(last, stays[last].worker, stays[last].rank))
	w.key("destination_activated_ms").optional(handover.DestinationActivatedMs)
	w.key("destination_reserved_ms").optional(handover.DestinationReservedMs)
	w.key("dispatched_at_ms").realIf(record.Agentic != nil, record.DispatchedMs)
	w.key("e2e_latency_ms").realIf(one, e2e(record))
	if !r.options.Dynamo {
		w.key("first_admission_reused_input_tokens").int(record.firstReused())
	}
	w.key("first_admit_ms").realIf(len(record.Admissions) > 0, record.firstAdmitMs())
	w.key("first_token_ms").realIf(one, record.FirstTokenMs)
	w.key("input_length").int(record.InputLength)
	w.key("itl_ms").realIf(two, tpot(record))
	w.key("last_token_ms").realIf(one, record.LastTokenMs)
	w.key("output_length").int(record.OutputLength)
	if record.Agentic != nil {
		w.key("play_id").string(record.Agentic.PlayID)
	}
	w.key("prefill_admit_ms").realIf(stays[Prefill].admissions > 0, stays[Prefill].admittedMs)
	w.key("prefill_route_overlap_tokens").intIf(stays[Prefill].routed, stays[Prefill].overlap)
	w.key("prefill_worker_idx").intIf(stays[Prefill].routed, r.scheduler(Prefill, stays[Prefill].worker, stays[Prefill].rank))
	w.key("pressure_record_ordinals")
	w.open('[')
	w.close(']')
	w.key("readmission_count").int(stays.readmissions())
	if record.Agentic != nil {
		w.key("request_id").string(record.Agentic.RequestID)
	}
	w.key("requested_output_length").int(record.RequestedOutput)
	w.key("reused_input_tokens").int(stays[first].reused)
	w.key("routing_history")
	r.writeRouting(w, record.Routing)
	w.key("session_id").stringIf(record.HasSession, record.SessionID)
	w.key("source_held_ms").optional(handover.SourceHeldMs)
	w.key("source_released_ms").optional(handover.SourceReleasedMs)
	w.key("terminal_status").string(record.Status.String())
	w.key("terminal_time_ms").real(record.TerminalMs)
	w.key("ttft_ms").realIf(one, ttft(record))
	w.key("ttst_ms").realIf(two, ttst(record))
	w.key("turn_index").intIf(record.HasSession && record.Agentic == nil, record.Turn)
	w.key("uuid").string(uuid(record.Ordinal))
	w.close('}')
}

func writeAgentic(w *jsonWriter, record *Record) {
	labels := record.Agentic
	known := func(key, label string) {
		if label != "" {
			w.key(key).string(label)
		}
	}
	w.open('{')
	known("cache_id", labels.CacheID)
	w.key("conversation_id").string(record.SessionID)
	known("lane_id", labels.LaneID)
	known("parent_id", labels.ParentID)
	w.key("play_id").string(labels.PlayID)
	w.key("request_id").string(labels.RequestID)
	known("root_id", labels.RootID)
	w.close('}')
}

func writeAdmissions(w *jsonWriter, admissions []Admission) {
	var inPool [pools]int
	w.open('[')
	for i, admission := range admissions {
		before := inPool[admission.Pool]
		inPool[admission.Pool]++
		w.open('{')
		w.key("admission_ordinal").int(i)
		w.key("at_ms").real(admission.AtMs)
		w.key("is_readmission").bool(before > 0)
		w.key("pool").string(admission.Pool.String())
		w.key("pool_admission_ordinal").int(before)
		w.key("reused_input_tokens").int(admission.ReusedTokens)
		w.close('}')
	}
	w.close(']')
}

func (r rows) writeRouting(w *jsonWriter, routing []Routing) {
	w.open('[')
	for i := range routing {
		decision := &routing[i]
		outcome, waitMs := "immediate", 0.0
		if decision.Queued {
			outcome, waitMs = "queued", decision.ReleasedMs-decision.EnteredMs
		}
		w.open('{')
		w.key("best_available_overlap_blocks").intIf(decision.Scored, decision.BestBlocks)
		w.key("dp_rank").int(decision.Rank)
		w.key("logical_worker_id").int(decision.Worker)
		w.key("outcome").string(outcome)
		w.key("overlap_regret_blocks").intIf(decision.Scored, max(0, decision.BestBlocks-decision.SelectedBlocks))
		w.key("placement_replica_id").null()
		w.key("pool").string(decision.Pool.String())
		w.key("queue_entered_at_ms").realIf(decision.Queued, decision.EnteredMs)
		w.key("queue_wait_ms").real(waitMs)
		w.key("released_at_ms").realIf(decision.Queued, decision.ReleasedMs)
		w.key("reported_overlap_tokens").int(decision.OverlapTokens)
		w.key("scheduler_id").int(r.scheduler(decision.Pool, decision.Worker, decision.Rank))
		w.key("selected_overlap_blocks").intIf(decision.Scored, decision.SelectedBlocks)
		w.close('}')
	}
	w.close(']')
}

// scheduler numbers the schedulers of a pool: every rank of every worker.
func (r rows) scheduler(pool Pool, worker, rank int) int {
	return worker*r.options.Workers[pool].AttentionData + rank
}

// uuid returns the identity of a request within the run.
func uuid(ordinal int) string {
	const zero = "00000000-0000-0000-0000-000000000000"
	digits := strconv.FormatInt(int64(ordinal), 16)
	return zero[:len(zero)-len(digits)] + digits
}
