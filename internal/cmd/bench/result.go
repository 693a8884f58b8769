package main

// results are what one run has measured. Times are in milliseconds, memory in
// MiB, sizes in bytes.
type results struct {
	Machine     machine        `json:"machine"`
	Sizes       []sizeResult   `json:"sizes"`
	Cold        []coldResult   `json:"cold"`
	Warm        []warmResult   `json:"warm"`
	Growth      []growthResult `json:"growth"`
	Served      []servedResult `json:"served"`
	Server      serverResult   `json:"server"`
	Targets     []target       `json:"targets"`
	NotMeasured []string       `json:"not_measured"`
}

// A machine is what the figures are of.
type machine struct {
	Processor string `json:"processor"`
	CPUs      int    `json:"cpus"`
	System    string `json:"system"`
	Go        string `json:"go"`
	Date      string `json:"date"`
	Load      string `json:"load"` // what else was going on, as of /proc/loadavg
	Command   string `json:"command"`
}

// A sizeResult is how large a function is that was built for deployment.
type sizeResult struct {
	Program string `json:"program"`
	Binary  int64  `json:"binary"`
	Zip     int64  `json:"zip"`
}

// A coldResult is the starts of one program under the same conditions.
type coldResult struct {
	Program  string  `json:"program"`
	Fakes    string  `json:"fakes"`     // HTTP or TLS
	MemoryMB int     `json:"memory_mb"` // whose CPU share the process has after INIT; 0: all of the machine
	NoCache  bool    `json:"no_cache"`  // the program had to be read from the disk
	Starts   int     `json:"starts"`
	Init     float64 `json:"init"`   // from exec until the first event is asked for
	Answer   float64 `json:"answer"` // from exec to the end of the first answer
	P90      float64 `json:"p90"`    // of Answer
	CPU      float64 `json:"cpu"`
	FirstCPU float64 `json:"first_cpu"` // the part of CPU that the first request used
	RSS      float64 `json:"rss"`       // peak
}

// A warmResult is requests of one kind to one program.
type warmResult struct {
	Program  string  `json:"program"`
	Size     string  `json:"size"`
	Bytes    int     `json:"bytes"` // of the request's body
	Stream   bool    `json:"stream"`
	MemoryMB int     `json:"memory_mb"` // as in coldResult
	Requests int     `json:"requests"`
	First    float64 `json:"first"` // p50 to the first byte of the answer
	P50      float64 `json:"p50"`   // from the event to the end of the answer
	P99      float64 `json:"p99"`
	CPU      float64 `json:"cpu"` // a request
	RSS      float64 `json:"rss"` // peak
	Floor    float64 `json:"floor"`
	Direct   float64 `json:"direct"` // p50 of the same request sent to the upstream itself
	SDK      float64 `json:"sdk"`    // p50 of a call of Converse with the AWS SDK from another program; 0: not measured
	Allocs   int64   `json:"allocs"` // a request; 0: not measured
	Alloced  int64   `json:"alloced"`
}

// A growthResult is decisions with more or larger tools.
type growthResult struct {
	What  string  `json:"what"` // tools or schema
	N     int     `json:"n"`    // number of tools, or bytes of a schema
	First float64 `json:"first"`
	Again float64 `json:"again"` // once the schemas are known
}

// A servedResult is the endpoint as an HTTP server, as its peers are, between
// the same caller and upstream.
type servedResult struct {
	Upstream  string  `json:"upstream"`
	Size      string  `json:"size"`
	Callers   int     `json:"callers"`
	DirectP50 float64 `json:"direct_p50"`
	DirectP99 float64 `json:"direct_p99"`
	P50       float64 `json:"p50"`
	P99       float64 `json:"p99"`
	CPU       float64 `json:"cpu"` // a request
}

// A serverResult is the start and the memory of that server.
type serverResult struct {
	Start    float64 `json:"start"` // from exec to the first answer with status 200
	RSSStart float64 `json:"rss_start"`
	RSSAfter float64 `json:"rss_after"`
	RSSAlone float64 `json:"rss_alone"` // peak with one caller
	RSSPeak  float64 `json:"rss_peak"`
}

// A target is what was asked for, and what came of it.
type target struct {
	What     string  `json:"what"`
	Limit    float64 `json:"limit"`
	Unit     string  `json:"unit"`
	Measured float64 `json:"measured"`
	Met      bool    `json:"met"`
	Reason   string  `json:"reason,omitempty"` // why it is not
	Exact    bool    `json:"exact"`            // the same on every machine, so that a miss is an error
}
