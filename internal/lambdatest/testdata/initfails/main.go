// Command initfails is a function that never gets as far as asking for an event.
// The variable FAIL says how.
package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

func main() {
	log.Print("about to ", os.Getenv("FAIL"))
	switch os.Getenv("FAIL") {
	case "exit":
		os.Exit(4)
	case "return":
		return
	case "report":
		if err := report(); err != nil {
			log.Fatal(err)
		}
		log.Print("reported")
		os.Exit(1)
	case "report and stay":
		if err := report(); err != nil {
			log.Fatal(err)
		}
	}
	time.Sleep(time.Hour) // "hang"; a select for ever would be found to be a deadlock
}

// report tells the Runtime API that INIT has failed.
func report() error {
	url := "http://" + os.Getenv("AWS_LAMBDA_RUNTIME_API") + "/2018-06-01/runtime/init/error"
	body := bytes.NewReader([]byte(`{"errorType":"Config","errorMessage":"MODELS is not set"}`))
	resp, err := http.Post(url, "application/json", body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
