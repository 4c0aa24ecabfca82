import { z } from 'zod';

/** The setting of the reasons for another main practitioner, where the system behind has none. */
export const changeReasons = z
  .array(z.strictObject({ id: z.string().min(1), label: z.string().min(1) }))
  .min(1)
  .default([
    { id: 'mudanza', label: 'Me mudé' },
    { id: 'horario', label: 'No me sirven los horarios' },
    { id: 'trato', label: 'No estoy conforme con el trato' },
    { id: 'otro', label: 'Otro motivo' },
  ]);
