/** Why a command cannot begin its work, for the operator; it then exits with 2. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}
