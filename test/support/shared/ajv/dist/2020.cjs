module.exports = globalThis[Symbol.for('puente.shared')]('ajv/dist/2020.js');
