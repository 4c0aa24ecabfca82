module.exports = globalThis[Symbol.for('puente.shared')]('re2js');
