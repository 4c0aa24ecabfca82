/** Tells the time, for requests and what they are answered. */
export interface Clock {
  now(): Date;
}
