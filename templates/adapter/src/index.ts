import { access, readFile } from 'node:fs/promises';
import { adapter, type Call, Failure, type Practitioner, SettingsProblem, throwIfAborted, z } from 'puente/adapter';

/** What the institution's own system says of somebody who treats patients. */
const row = z.object({
  code: z.string().min(1),
  name: z.string().min(1),
  specialty: z.string(),
  mail: z.string().default(''),
  active: z.boolean(),
});

/** The practitioners of an institution, out of a JSON file. All other operations answer 501 until they are offered here. */
export default adapter({
  settings: z.object({
    file: z.string().min(1).meta({ file: true, description: 'Path of the JSON file with the practitioners.' }),
  }),
  offer: async ({ file }) => {
    await access(file).catch(() => {
      throw new SettingsProblem('file', [`there is no file ${file}`]);
    });
    return {
      practitioners: {
        list: async (call) => (await readRows(file, call)).map(toPractitioner),
      },
    };
  },
});

/** The file is read for each call, so that a change of it is seen at once. */
async function readRows(file: string, call: Call): Promise<z.output<typeof row>[]> {
  throwIfAborted(call);
  const text = await readFile(file, { encoding: 'utf8', signal: call.signal }).catch((cause: unknown) => {
    throwIfAborted(call);
    throw new Failure('unavailable', 'the file of practitioners cannot be read', { cause });
  });
  const rows = z.array(row).safeParse(parseJson(text));
  if (!rows.success) throw new Failure('bad_answer', 'the file of practitioners holds something else');
  return rows.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure('bad_answer', 'the file of practitioners is not JSON');
  }
}

const toPractitioner = ({ code, name, specialty, mail, active }: z.output<typeof row>): Practitioner => ({
  id: code,
  name,
  specialty,
  email: mail,
  phone: '',
  workingHours: '',
  location: '',
  available: active,
});
