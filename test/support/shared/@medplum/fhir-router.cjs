module.exports = globalThis[Symbol.for('puente.shared')]('@medplum/fhir-router');
