// The fifteen things that a client must survive, on a sandbox that this starts itself, without a configuration:
//
//	go test -C examples/client/go ./...
package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
)

const zoneName = "Europe/Madrid"

var gateway Client
var zone, _ = time.LoadLocation(zoneName)

func TestMain(m *testing.M) {
	command := os.Getenv("PUENTE")
	if command == "" {
		command = "npx --no puente"
	}
	sandbox := exec.Command("sh", "-c", "exec "+command+" serve --sandbox --port 0")
	sandbox.Env = append(os.Environ(), "PUENTE=", "PUENTE_INSTITUTION_TIME_ZONE="+zoneName)
	sandbox.Stderr = os.Stderr
	output, err := sandbox.StdoutPipe()
	if err == nil {
		err = sandbox.Start()
	}
	if err != nil {
		panic(err)
	}
	ready := struct {
		URL, Token string
		PID        int
	}{}
	line, _ := bufio.NewReader(output).ReadBytes('\n')
	if err := json.Unmarshal(line, &ready); err != nil {
		panic(err)
	}
	gateway = Client{URL: ready.URL, Token: ready.Token}
	code := m.Run()
	if process, err := os.FindProcess(ready.PID); err == nil {
		process.Signal(os.Interrupt)
	}
	sandbox.Wait()
	os.Exit(code)
}

// order asks the sandbox itself.
func order(t *testing.T, what string, body map[string]any) {
	t.Helper()
	text, _ := json.Marshal(body)
	request, _ := http.NewRequest("POST", gateway.URL+"/sandbox/"+what, bytes.NewReader(text))
	request.Header.Set("Authorization", "Bearer "+gateway.Token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode != 200 {
		t.Fatal(what, response, err)
	}
	response.Body.Close()
}

// plan gives the next calls of the operation a scenario, after a reset.
func plan(t *testing.T, operation, scenario string, calls int) {
	t.Helper()
	order(t, "reset", map[string]any{})
	order(t, "scenarios", map[string]any{"operation": operation, "scenario": scenario, "calls": calls})
}

func setClock(t *testing.T, now string) {
	t.Helper()
	order(t, "reset", map[string]any{})
	order(t, "clock", map[string]any{"now": now})
}

func ask[T any](t *testing.T, c Client, path string) (answer T, omitted int) {
	t.Helper()
	omitted, err := c.Ask("GET", path, nil, &answer)
	if err != nil {
		t.Fatal(path, err)
	}
	return answer, omitted
}

type slots struct{ Appointments []Slot }

func listSlots(t *testing.T, service string) []Slot {
	t.Helper()
	found, _ := ask[slots](t, gateway, "/available-appointments/search?health_care_service_id="+service)
	return found.Appointments
}

func listBooked(t *testing.T) []Slot {
	t.Helper()
	found, _ := ask[slots](t, gateway, "/patients/bruno/appointments")
	return found.Appointments
}

// book books a slot although the first try is answered requested by the scenario, and wants it to be booked once.
func book(t *testing.T, scenario string) {
	t.Helper()
	plan(t, "bookAppointment", scenario, 1)
	slot := listSlots(t, "consulta-clinica")[0]
	booked, err := gateway.BookFirst("bruno", slot)
	if err != nil || *booked != slot || len(listBooked(t)) != 1 {
		t.Fatal(booked, err, listBooked(t))
	}
}

type patient struct {
	Name  string `json:"last_name"`
	Email string `json:"email"`
}

type service struct {
	MaxAge *int `json:"max_age"`
}

type services struct {
	All []service `json:"health_care_services"`
}

// wantName wants to have the patient after at least so many seconds, and before so many.
func wantName(t *testing.T, c Client, from, until float64) {
	t.Helper()
	started := time.Now()
	found, _ := ask[patient](t, c, "/patients/ana")
	seconds := time.Since(started).Seconds()
	if found.Name != "Ferreyra" || seconds < from || seconds > until {
		t.Fatal(found, seconds)
	}
}

func wantProblem(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || err.Error() != text {
		t.Fatal(err)
	}
}

func Test01_sends_a_write_whose_answer_was_lost_again_under_the_same_key(t *testing.T) {
	book(t, "drop")
}

func Test02_does_the_same_when_nobody_knows_whether_the_write_was_made(t *testing.T) {
	book(t, "backend_outcome_unknown=made")
	book(t, "backend_outcome_unknown=lost")
}

func Test03_waits_for_an_earlier_try_that_still_runs_and_has_its_answer(t *testing.T) {
	book(t, "idempotency_key_in_use")
}

func Test04_offers_the_next_slot_when_somebody_else_took_the_first(t *testing.T) {
	plan(t, "bookAppointment", "slot_taken", 1)
	free := listSlots(t, "consulta-clinica")
	booked, err := gateway.BookFirst("bruno", free...)
	if err != nil || *booked != free[1] {
		t.Fatal(booked, err)
	}
}

func Test05_tries_again_more_slowly_each_time_until_an_outage_is_over(t *testing.T) {
	plan(t, "getPatient", "backend_unavailable", 2)
	wantName(t, gateway, 1.2, 10)
}

func Test06_waits_as_long_as_a_gateway_says_that_has_too_much_to_do(t *testing.T) {
	plan(t, "getPatient", "overloaded=2", 1)
	wantName(t, gateway, 2, 10)
}

func Test07_waits_as_long_as_its_limit_says(t *testing.T) {
	plan(t, "getPatient", "rate_limited=1", 1)
	wantName(t, gateway, 1, 10)
}

func Test08_knows_that_a_list_lacks_a_record(t *testing.T) {
	plan(t, "listLocations", "omitted", 1)
	_, partial := ask[any](t, gateway, "/location/")
	_, whole := ask[any](t, gateway, "/location/")
	if partial != 1 || whole != 0 {
		t.Fatal(partial, whole)
	}
}

func Test09_takes_the_first_of_two_moments_that_have_one_local_time_as_clocks_go_back(t *testing.T) {
	setClock(t, "2027-10-30T12:00:00")
	moment, _ := ToMoment("2027-10-31T02:30:00", zone)
	for _, slot := range listSlots(t, "guardia-nocturna") {
		if first, ok := ToMoment(slot.Date, zone); !ok || slot.Date == "2027-10-31T02:30:00" && first != moment {
			t.Fatal(slot)
		}
	}
	if moment.Format(time.RFC3339) != "2027-10-31T00:30:00Z" {
		t.Fatal(moment)
	}
}

func Test10_knows_that_a_local_time_does_not_exist_as_clocks_go_forward(t *testing.T) {
	setClock(t, "2027-03-27T12:00:00")
	slot := listSlots(t, "guardia-nocturna")[0]
	slot.Date = "2027-03-28T02:30:00"
	if _, ok := ToMoment(slot.Date, zone); ok {
		t.Fatal("clocks skip it")
	}
	_, err := gateway.BookFirst("bruno", slot)
	wantProblem(t, err, "422 nonexistent_local_time")
}

func Test11_waits_no_longer_than_it_means_to_and_tries_again(t *testing.T) {
	plan(t, "getPatient", "slow=5", 1)
	hurried := gateway
	hurried.Timeout = 500 * time.Millisecond
	wantName(t, hurried, 0.5, 4)
}

func Test12_takes_an_answer_that_is_cut_or_garbled_for_a_lost_one(t *testing.T) {
	for _, scenario := range []string{"cut", "garbled", "wrong_length"} {
		book(t, scenario)
	}
}

func Test13_reads_the_pages_of_a_list_again_when_rows_moved_between_them(t *testing.T) {
	order(t, "reset", map[string]any{})
	free := listSlots(t, "consulta-clinica")[:1]
	ids, err := gateway.ReadPages("/v1/appointments?patientId=many-appointments&sortDirection=DESC&limit=100", func() {
		_, _ = gateway.BookFirst("many-appointments", free...)
		free = nil
	})
	if err != nil || len(ids) != 1201 {
		t.Fatal(len(ids), err)
	}
}

func Test14_lives_with_nulls_empty_texts_and_fields_that_it_does_not_know(t *testing.T) {
	plan(t, "getPatient", "unknown_fields", 1)
	wantName(t, gateway, 0, 10)
	if found, _ := ask[patient](t, gateway, "/patients/no-contact"); found.Email != "" {
		t.Fatal(found)
	}
	found, _ := ask[services](t, gateway, "/health-care-services/search")
	if !slices.ContainsFunc(found.All, func(each service) bool { return each.MaxAge == nil }) {
		t.Fatal(found)
	}
}

func Test15_does_not_try_again_what_another_try_does_not_help(t *testing.T) {
	started := time.Now()
	_, err := gateway.Ask("GET", "/patients/nobody", nil, &struct{}{})
	wantProblem(t, err, "404 not_found")
	if time.Since(started).Seconds() > 0.4 {
		t.Fatal(time.Since(started))
	}
}
