import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.AppointmentsApi;
import org.openapitools.client.api.CareServicesApi;
import org.openapitools.client.api.CoveragesBApi;
import org.openapitools.client.api.InsuranceApi;
import org.openapitools.client.api.PatientsApi;
import org.openapitools.client.api.TicketsApi;
import org.openapitools.client.model.*;

/** The day's work of examples/client, with a client that openapi-generator has made. */
public class Day {
  private static final ApiClient client = new ApiClient();

  public static void main(String[] arguments) throws Exception {
    client.updateBaseUri(System.getenv("PUENTE_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("TOKEN")));
    try {
      work();
    } catch (ApiException refused) {
      System.err.println(problemOf(refused).getCode());
      System.exit(1);
    }
  }

  private static void work() throws Exception {
    var patients = new PatientsApi(client);
    var appointments = new AppointmentsApi(client);
    var tickets = new TicketsApi(client);

    var stranger = ThreadLocalRandom.current().nextLong(40_000_000L, 50_000_000L);
    var registered =
        patients.registerPatient(
            new RegisterPatientRequest()
                .identifierType(IdentifierType.DNI)
                .identifier(new RegisterPatientRequestIdentifier(stranger))
                .birthDate("1992/04/17")
                .gender(Gender.MALE)
                .name("Bruno")
                .lastName("Sosa"),
            null);
    say("registered " + registered.getName() + " " + registered.getLastName());

    var patient =
        patients.searchPatients(null, null, IdentifierType.DNI, "31465466").getPatients().get(0);
    say("found " + patient.getName() + " " + patient.getLastName() + ", born " + patient.getBirthDate());

    var insurance =
        new InsuranceApi(client)
            .listHealthInsurances(patient.getId()).getHealthInsurances().stream()
                .filter(each -> each.getActive() == Flag.TRUE)
                .findFirst()
                .orElseThrow();

    var services =
        new CareServicesApi(client)
            .searchHealthCareServices(patient.getId(), insurance.getId())
            .getHealthCareServices();
    var service =
        services.stream().filter(each -> each.getId().equals("consulta-clinica")).findFirst().orElseThrow();
    say(services.size() + " services, among them " + service.getName());

    var slots =
        appointments
            .searchAvailableAppointments(service.getId(), patient.getId(), insurance.getId(), null, null)
            .getAppointments();
    var slot = slots.get(slots.size() - 1);

    var booking =
        new BookAppointmentRequest()
            .healthCareServiceId(slot.getHealthCareServiceId())
            .practitionerId(slot.getPractitionerId())
            .healthInsuranceId(insurance.getId())
            .date(slot.getDate());
    var key = UUID.randomUUID().toString();
    var booked = appointments.bookAppointmentWithHttpInfo(patient.getId(), booking, key);
    say("booked " + slot.getDate() + ": " + booked.getStatusCode());
    var location = header(booked, "Location");
    var appointmentId =
        URLDecoder.decode(location.substring(location.lastIndexOf('/') + 1), StandardCharsets.UTF_8);

    var repeated = appointments.bookAppointmentWithHttpInfo(patient.getId(), booking, key);
    var same = header(repeated, "Idempotency-Replayed").equals("true");
    say("sent again with its key: " + repeated.getStatusCode() + ", " + (same ? "the same answer" : "booked twice"));
    try {
      appointments.bookAppointment(patient.getId(), booking, null);
    } catch (ApiException refused) {
      var problem = problemOf(refused);
      say("booked once more: " + problem.getStatus() + " " + problem.getCode());
    }

    say("it is " + statusOf(appointments, patient.getId(), appointmentId));
    var cancel = new CancelAppointmentRequest().status(CancelAppointmentRequest.StatusEnum.CANCELED);
    appointments.cancelAppointment(patient.getId(), appointmentId, cancel, null);
    say("it is " + statusOf(appointments, patient.getId(), appointmentId));

    var type =
        tickets.listTicketTypes().stream().filter(each -> each.getId().equals("receta")).findFirst().orElseThrow();
    var request =
        new OpenTicketRequest()
            .observations("Renovación mensual")
            .addFieldsItem(new TicketFieldValue().id("medicamento").value("Losartán 50 mg"));
    var opened = tickets.openTicketWithHttpInfo(patient.getId(), type.getId(), request, null);
    var ticket = tickets.listTickets(patient.getId(), null, null, type.getId(), null).get(0);
    say("opened a ticket, " + opened.getStatusCode() + ": " + ticket.getStatus());

    var number = new CreateCoverageRequestCredentialNumber("61-31465466-3");
    var edited =
        new CoveragesBApi(client)
            .editCoverage(insurance.getId(), new EditCoverageRequest().credentialNumber(number), null);
    say("coverage " + edited.getModel().getId() + " " + edited.getStatus());
  }

  private static AppointmentStatus statusOf(AppointmentsApi appointments, String patientId, String id)
      throws ApiException {
    List<Appointment> listed = appointments.listAppointments(patientId).getAppointments();
    return listed.stream().filter(each -> each.getId().equals(id)).findFirst().orElseThrow().getStatus();
  }

  private static Problem problemOf(ApiException refused) throws Exception {
    return client.getObjectMapper().readValue(refused.getResponseBody(), Problem.class);
  }

  private static String header(ApiResponse<?> response, String name) {
    return response.getHeaders().getOrDefault(name.toLowerCase(), List.of("")).get(0);
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
