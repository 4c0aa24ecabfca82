module.exports = globalThis[Symbol.for('puente.shared')]('ajv-formats');
