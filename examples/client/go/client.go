// Package client survives what goes wrong, with the standard library alone: fifteen things, of which client_test.go lets each
// happen and says what a right client does.
package client

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// Client asks one gateway.
type Client struct {
	URL     string
	Token   string
	Timeout time.Duration // for one try; 0: 30 seconds
}

// Problem is what the gateway answers instead (RFC 9457), with its stable code.
type Problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
}

func (p *Problem) Error() string { return fmt.Sprintf("%d %s", p.Status, p.Code) }

// Slot is a time that can be booked. Fields that it does not have are ignored.
type Slot struct {
	Date         string `json:"date"`
	Service      string `json:"health_care_service_id"`
	Practitioner string `json:"practitioner_id"`
}

const tries = 5

// Ask asks until there is an answer, which it decodes into `into`, and returns how many records a list lacks. A write has one key
// for all its tries, by which the gateway does it once.
func (c Client) Ask(method, path string, body, into any) (omitted int, err error) {
	key := ""
	if method != http.MethodGet {
		key = rand.Text()
	}
	for try := 1; ; try++ {
		wait := time.Duration(200*math.Pow(2, float64(try))) * time.Millisecond
		omitted, retryAfter, err := c.try(method, path, key, body, into)
		var problem *Problem
		if err == nil || try == tries || errors.As(err, &problem) && !mayPass(problem) {
			return omitted, err
		}
		if retryAfter > 0 {
			wait = retryAfter
		}
		time.Sleep(wait)
	}
}

// mayPass tells whether another try may help. A key whose first request still runs has its answer soon.
func mayPass(p *Problem) bool {
	return slices.Contains([]int{429, 502, 503, 504}, p.Status) || p.Code == "idempotency_key_in_use"
}

// try asks once. An answer that is cut, garbled or late is as good as lost: what was asked for may be done.
func (c Client) try(method, path, key string, body, into any) (int, time.Duration, error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, 0, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, c.URL+path, content)
	if err != nil {
		return 0, 0, err
	}
	request.Header.Set("Authorization", "Bearer "+c.Token)
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	timeout := c.Timeout
	if timeout == 0 {
		timeout = 30 * time.Second
	}
	response, err := (&http.Client{Timeout: timeout}).Do(request)
	if err != nil {
		return 0, 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, 0, err
	}
	if response.StatusCode < 300 {
		omitted, _ := strconv.Atoi(response.Header.Get("Puente-Omitted"))
		return omitted, 0, json.Unmarshal(text, into)
	}
	problem := &Problem{}
	if err := json.Unmarshal(text, problem); err != nil {
		return 0, 0, err
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	return 0, time.Duration(seconds) * time.Second, problem
}

// BookFirst books the first of the slots that is still free, or none.
func (c Client) BookFirst(patient string, slots ...Slot) (*Slot, error) {
	for _, slot := range slots {
		_, err := c.Ask("POST", "/patients/"+url.PathEscape(patient)+"/appointments", slot, &struct{}{})
		var problem *Problem
		if errors.As(err, &problem) && problem.Code == "slot_taken" {
			continue
		}
		return &slot, err
	}
	return nil, nil
}

type page struct {
	Data []struct {
		ID string `json:"id"`
	} `json:"data"`
	Pagination struct {
		TotalElements int `json:"totalElements"`
		TotalPages    int `json:"totalPages"`
	} `json:"pagination"`
}

// ReadPages returns the ids of all rows of a paged list, each once. Rows move between pages when others come or go meanwhile, which
// another total tells: then it begins anew. It calls onPage after each page.
func (c Client) ReadPages(path string, onPage func()) ([]string, error) {
	for range tries {
		ids, totals := []string{}, map[int]bool{}
		for number, pages := 0, 1; number < pages; number++ {
			var read page
			if _, err := c.Ask("GET", fmt.Sprintf("%s&page=%d", path, number), nil, &read); err != nil {
				return nil, err
			}
			for _, row := range read.Data {
				if !slices.Contains(ids, row.ID) {
					ids = append(ids, row.ID)
				}
			}
			totals[read.Pagination.TotalElements] = true
			pages = read.Pagination.TotalPages
			onPage()
		}
		if len(totals) <= 1 {
			return ids, nil
		}
	}
	return nil, errors.New("the list changes all the time")
}

// ToMoment is the moment of a local time, as the API has it. Of the two in the night in which clocks go back it is the first, as the
// gateway means it; false where clocks skip it.
func ToMoment(local string, zone *time.Location) (time.Time, bool) {
	const form = "2006-01-02T15:04:05"
	wall, err := time.Parse(form, local)
	if err != nil {
		return time.Time{}, false
	}
	// The offsets of the day before and of the day after: the larger one comes first.
	for _, days := range []int{-1, 1} {
		_, offset := wall.AddDate(0, 0, days).In(zone).Zone()
		moment := wall.Add(-time.Duration(offset) * time.Second)
		if moment.In(zone).Format(form) == local {
			return moment.UTC(), true
		}
	}
	return time.Time{}, false
}
