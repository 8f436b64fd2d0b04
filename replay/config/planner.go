package config

// PlannerTarget is what the planner scales for.
type PlannerTarget string

// The planner targets.
const (
	TargetThroughput PlannerTarget = "throughput"
	TargetLatency    PlannerTarget = "latency"
	TargetLoad       PlannerTarget = "load"
	TargetSLA        PlannerTarget = "sla"
)

// LoadPredictor is how the planner looks ahead.
type LoadPredictor string

// The load predictors.
const (
	PredictorConstant LoadPredictor = "constant"
	PredictorARIMA    LoadPredictor = "arima"
	PredictorKalman   LoadPredictor = "kalman"
	PredictorProphet  LoadPredictor = "prophet"
)

// Planner scales the worker pools. Unless it is Enabled, the rest is
// meaningless.
type Planner struct {
	Enabled bool
	Target  PlannerTarget

	MaxGPUs int // GPUs
	MinGPUs int // GPUs; -1 for no bound
	// MinWorkers is the least workers of a pool. The two bounds by role are
	// for disaggregated mode, and nil when not given.
	MinWorkers        int
	PrefillMinWorkers *int
	DecodeMinWorkers  *int

	// The two ways to scale, as they take effect: every target but sla scales
	// by load alone, whatever was given.
	ThroughputScaling bool
	LoadScaling       bool

	ThroughputIntervalSeconds    int // s
	LoadIntervalSeconds          int // s
	MaxThroughputScalingReplicas int // replicas per step
	MaxFPMSamples                int
	FPMSampleBucketSize          int // a perfect square
	LoadScalingDownSensitivity   int // percent, 0 to 100
	LoadMinObservations          int

	LoadPredictor      LoadPredictor
	LoadPredictorLog1p bool
	ProphetWindowSize  int
	KalmanQLevel       float64
	KalmanQTrend       float64
	KalmanR            float64
	KalmanMinPoints    int
}
