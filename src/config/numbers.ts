import { z } from 'zod';

export const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number between ${min} and ${max}`;
  return z.number({ error }).refine((value) => Number.isInteger(value) && value >= min && value <= max, { error });
};

export const milliseconds = (min = 1) => wholeNumber(min, 3_600_000);
