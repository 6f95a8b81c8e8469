import pg from 'pg'
import { z } from 'zod'

/** Speed of a machine: SELECT statements per second of 1 client and of 16 concurrent clients. */
export const Yardstick = z.object({ 1: z.number(), 16: z.number() })
export type Yardstick = z.infer<typeof Yardstick>

/** Speed, by `measureYardstick`, of the machine on which the reference figures were measured. */
const theirs: Yardstick = { 1: 13_021, 16: 40_717 }

const rows = 10_000
const measuredMs = 1_500

/**
 * Measures the speed of this machine without Coffer: SELECTs by primary key through the client
 * `pg`, with named statements. The clients share at most ten connections.
 */
export async function measureYardstick(databaseUrl: string): Promise<Yardstick> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
  try {
    await pool.query('CREATE TABLE IF NOT EXISTS public.yardstick (id int PRIMARY KEY, name text)')
    await pool.query(
      `INSERT INTO public.yardstick SELECT n, 'name ' || n FROM generate_series(1, ${rows}) AS n
       ON CONFLICT DO NOTHING`,
    )
    await selects(pool, 16)
    const measured = { 1: await selects(pool, 1), 16: await selects(pool, 16) }
    await pool.query('DROP TABLE public.yardstick')
    return measured
  } finally {
    await pool.end()
  }
}

/**
 * Returns the larger of two measurements for each figure, as other guests slowed the smaller one
 * down; null if there is no measurement.
 */
export function faster(one: Yardstick | null, other: Yardstick | null): Yardstick | null {
  if (one === null || other === null) return one ?? other
  return { 1: Math.max(one[1], other[1]), 16: Math.max(one[16], other[16]) }
}

/** Returns a sentence that compares this machine's speed with that of the reference figures. */
export function yardstickText(measured: Yardstick): string {
  const text = (count: 1 | 16) => Math.round(measured[count]).toLocaleString('en-US')
  const share = (count: 1 | 16) => `${Math.round((100 * measured[count]) / theirs[count])} %`
  return (
    'Yardstick, selects by key through bare `pg`, the best of several measurements: ' +
    `${text(1)}/s one after the other and ${text(16)}/s at c=16, which is ${share(1)} and ` +
    `${share(16)} of the rates of the reference's machine.`
  )
}

async function selects(pool: pg.Pool, atOnce: number): Promise<number> {
  let done = 0
  const begun = performance.now()
  const one = async (): Promise<void> => {
    while (performance.now() - begun < measuredMs) {
      const id = 1 + (done % rows)
      await pool.query({
        name: 'by-key',
        text: 'SELECT id, name FROM public.yardstick WHERE id = $1',
        values: [id],
      })
      done += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  return done / ((performance.now() - begun) / 1000)
}
