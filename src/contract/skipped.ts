/** Ends a case that cannot be proved on this subject after all, for the reason in the message. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** Why nothing is proved of what nobody has, where cases write it and look at that. */
export const noneYet = 'nobody has one there yet: what cases have written is looked at';
