module.exports = globalThis[Symbol.for('puente.shared')]('express');
