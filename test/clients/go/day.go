// The day's work of examples/client, with a client that oapi-codegen has made.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path"

	"github.com/google/uuid"

	"puente/test/clients/puente"
)

var ctx = context.Background()

func main() {
	log.SetFlags(0)
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		return nil
	}
	client, err := puente.NewClientWithResponses(os.Getenv("PUENTE_URL"), puente.WithRequestEditorFn(authorize))
	check(err)

	dni := puente.IdentifierTypeDNI
	var identifier puente.RegisterPatientRequest_Identifier
	check(identifier.FromRegisterPatientRequestIdentifier0(40_000_000+rand.Int64N(10_000_000)))
	registered, err := client.RegisterPatientWithResponse(ctx, nil, puente.RegisterPatientRequest{
		IdentifierType: dni,
		Identifier:     identifier,
		BirthDate:      "1992/04/17",
		Gender:         puente.GenderMale,
		Name:           pointer("Bruno"),
		LastName:       pointer("Sosa"),
	})
	check(err)
	if registered.JSON200 == nil {
		log.Fatal(registered.ApplicationproblemJSON401.Code)
	}
	fmt.Println("registered", registered.JSON200.Name, registered.JSON200.LastName)

	found, err := client.SearchPatientsWithResponse(ctx, &puente.SearchPatientsParams{
		IdentifierType: &dni, Identifier: pointer("31465466"),
	})
	check(err)
	patient := found.JSON200.Patients[0]
	fmt.Printf("found %s %s, born %s\n", patient.Name, patient.LastName, patient.BirthDate)

	insurances, err := client.ListHealthInsurancesWithResponse(ctx, patient.Id)
	check(err)
	insurance := first(insurances.JSON200.HealthInsurances, func(each puente.HealthInsurance) bool {
		return each.Active == puente.True
	})

	services, err := client.SearchHealthCareServicesWithResponse(ctx, &puente.SearchHealthCareServicesParams{
		PatientId: &patient.Id, HealthInsuranceId: &insurance.Id,
	})
	check(err)
	service := first(services.JSON200.HealthCareServices, func(each puente.HealthCareService) bool {
		return each.Id == "consulta-clinica"
	})
	fmt.Printf("%d services, among them %s\n", len(services.JSON200.HealthCareServices), service.Name)

	slots, err := client.SearchAvailableAppointmentsWithResponse(ctx, &puente.SearchAvailableAppointmentsParams{
		PatientId: &patient.Id, HealthInsuranceId: &insurance.Id, HealthCareServiceId: service.Id,
	})
	check(err)
	slot := slots.JSON200.Appointments[len(slots.JSON200.Appointments)-1]

	booking := puente.BookAppointmentRequest{
		HealthCareServiceId: slot.HealthCareServiceId,
		PractitionerId:      slot.PractitionerId,
		HealthInsuranceId:   &insurance.Id,
		Date:                slot.Date,
	}
	key := &puente.BookAppointmentParams{IdempotencyKey: pointer(uuid.NewString())}
	booked, err := client.BookAppointmentWithResponse(ctx, patient.Id, key, booking)
	check(err)
	fmt.Printf("booked %s: %d\n", slot.Date, booked.StatusCode())
	appointment, err := url.PathUnescape(path.Base(booked.Headers201.Location))
	check(err)

	repeated, err := client.BookAppointmentWithResponse(ctx, patient.Id, key, booking)
	check(err)
	answer := "booked twice"
	if replayed := repeated.Headers201.IdempotencyReplayed; replayed != nil && *replayed == "true" {
		answer = "the same answer"
	}
	fmt.Printf("sent again with its key: %d, %s\n", repeated.StatusCode(), answer)
	again, err := client.BookAppointmentWithResponse(ctx, patient.Id, nil, booking)
	check(err)
	problem := again.ApplicationproblemJSON409
	fmt.Printf("booked once more: %d %s\n", problem.Status, problem.Code)

	statusNow := func() puente.AppointmentStatus {
		listed, err := client.ListAppointmentsWithResponse(ctx, patient.Id)
		check(err)
		return first(listed.JSON200.Appointments, func(each puente.Appointment) bool {
			return each.Id == appointment
		}).Status
	}
	fmt.Println("it is", statusNow())
	canceled, err := client.CancelAppointmentWithResponse(ctx, patient.Id, appointment, nil,
		puente.CancelAppointmentRequest{Status: puente.CancelAppointmentRequestStatusCanceled})
	check(err)
	if canceled.JSON200 == nil {
		log.Fatal(canceled.Status())
	}
	fmt.Println("it is", statusNow())

	types, err := client.ListTicketTypesWithResponse(ctx)
	check(err)
	ticketType := first(*types.JSON200, func(each puente.TicketType) bool { return each.Id == "receta" })
	opened, err := client.OpenTicketWithResponse(ctx, patient.Id, ticketType.Id, nil, puente.OpenTicketRequest{
		Observations: pointer("Renovación mensual"),
		Fields:       &[]puente.TicketFieldValue{{Id: "medicamento", Value: "Losartán 50 mg"}},
	})
	check(err)
	tickets, err := client.ListTicketsWithResponse(ctx, patient.Id, &puente.ListTicketsParams{TicketTypeId: &ticketType.Id})
	check(err)
	fmt.Printf("opened a ticket, %d: %s\n", opened.StatusCode(), (*tickets.JSON200)[0].Status)

	var number puente.EditCoverageRequest_CredentialNumber
	check(number.FromEditCoverageRequestCredentialNumber0("61-31465466-3"))
	edited, err := client.EditCoverageWithResponse(ctx, insurance.Id, nil, puente.EditCoverageRequest{CredentialNumber: &number})
	check(err)
	fmt.Println("coverage", edited.JSON200.Model.Id, edited.JSON200.Status)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func pointer[T any](value T) *T { return &value }

func first[T any](list []T, matches func(T) bool) T {
	for _, each := range list {
		if matches(each) {
			return each
		}
	}
	log.Fatal("nothing matches")
	panic("unreachable")
}
