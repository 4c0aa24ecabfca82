module.exports = globalThis[Symbol.for('puente.shared')]('jose');
