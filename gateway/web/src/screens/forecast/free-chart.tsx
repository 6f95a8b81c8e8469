import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react'
import type { Forecast } from '../../api/forecast-queries.ts'
import { useIsNarrow } from '../../controls/tables/use-narrow.ts'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { dayOf, formatShortDay } from '../../format/days.ts'
import type { Rest } from '../../format/debts.ts'
import { formatAxis } from '../../format/money.ts'
import { usePreferences } from '../../preferences/preferences.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { forecastWords as words } from '../../words/forecast.ts'
import { AmountAxis, BelowZero, TimeAxis } from './axes.tsx'
import {
  amountLines,
  type Frame,
  frameOf,
  type Point,
  type Scale,
  scaleOf,
  stepsOf,
  ticksOf,
} from './chart-scale.ts'
import { amountAt, type EnvelopeLine } from './envelope-lines.ts'
import { useFirstPaydays } from './first-payday-texts.ts'
import styles from './forecast.module.css'

interface Props {
  forecast: Forecast
  bankAccountId: string
  envelopes: EnvelopeLine[]
  rest: Rest
}

/** Number of points by which a key moves, as in a slider. */
const moves: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -5,
  PageUp: 5,
  Home: -1e6,
  End: 1e6,
}

/** Line chart of free-to-use. Pointer and arrow keys select a change and show its amount. */
export function FreeChart({ forecast, bankAccountId, envelopes, rest }: Props) {
  const reader = useReader()
  const points = forecast.free.map(({ date, free }) => ({ at: Date.parse(date), amount: free }))
  const lowest = points.findIndex(({ amount }) => amount === forecast.lowestFree)
  const [shown, setShown] = useState<number | null>(null)
  const at = Math.min(shown ?? lowest, points.length - 1)
  const point = points[at] ?? { at: 0, amount: 0 }
  const money = useMoneyText(useManner(bankAccountId))
  const dayTextOf = (instant: number) =>
    formatShortDay(dayOf(new Date(instant), reader.timezone), reader)
  const others = envelopes.map(
    ({ name, points: own }) => ` · ${name} ${money(amountAt(own, point.at))}`,
  )
  const firsts = useFirstPaydays(forecast, bankAccountId)
  const first = firsts.get(forecast.free[at]?.date ?? '')
  // Keeps its space while another point is shown: below the pointer nothing moves.
  const { summary } = first ?? [...firsts.values()][0] ?? {}
  const texts = [`${dayTextOf(point.at)}: ${money(point.amount)}`, ...others]
  if (first !== undefined) texts.push(`. ${first.summary}`)
  const move = (event: KeyboardEvent) => {
    const by = moves[event.key]
    if (by === undefined) return
    event.preventDefault()
    setShown(Math.min(Math.max(at + by, 0), points.length - 1))
  }
  return (
    <div className={styles.chart}>
      <p className={styles.tip}>
        {dayTextOf(point.at)}: <strong>{money(point.amount)}</strong>
        {others}
      </p>
      <div
        role="slider"
        tabIndex={0}
        aria-label={words.chart({ rest })}
        aria-valuemin={1}
        aria-valuemax={points.length}
        aria-valuenow={at + 1}
        aria-valuetext={texts.join('')}
        onKeyDown={move}
      >
        <Picture
          {...{ forecast, bankAccountId, envelopes, points, point }}
          isLow={at === lowest}
          onPoint={setShown}
        />
      </div>
      {summary && (
        <p className={styles.first} data-shown={first !== undefined}>
          {summary}
        </p>
      )}
    </div>
  )
}

interface PictureProps extends Omit<Props, 'rest'> {
  points: Point[]
  point: Point
  isLow: boolean
  onPoint: (at: number | null) => void
}

function Picture({ forecast, bankAccountId, envelopes, points, point, ...props }: PictureProps) {
  const { isLow, onPoint } = props
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const { areAmountsHidden } = usePreferences()
  const isNarrow = useIsNarrow()
  const begin = points[0]?.at ?? 0
  const end = Date.parse(forecast.endingTime)
  const lines = amountLines([points, ...envelopes.map((line) => line.points)].flat())
  const texts = areAmountsHidden ? lines.map(() => '•••') : formatAxis(lines, manner)
  const frame = frameOf(isNarrow, texts)
  const scale = scaleOf(lines, { begin, end, frame })
  const labels = lines.map((amount, index) => ({ amount, text: texts[index] ?? '' }))
  const path = stepsOf(points, scale, end)
  const tickText = (at: number, hasYear: boolean) => {
    const day = dayOf(new Date(at), reader.timezone)
    return formatShortDay(day, hasYear ? reader : { ...reader, today: day })
  }
  const follow = (event: PointerEvent<SVGSVGElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const x = ((event.clientX - left) / width) * frame.width
    const found = points.findLastIndex((one) => scale.x(one.at) <= x)
    onPoint(Math.max(found, 0))
  }
  return (
    <svg
      viewBox={`0 0 ${frame.width} ${frame.height}`}
      aria-hidden="true"
      onPointerMove={follow}
      onPointerLeave={() => onPoint(null)}
    >
      <BelowZero frame={frame} scale={scale} />
      <AmountAxis frame={frame} scale={scale} labels={labels} />
      <TimeAxis frame={frame} scale={scale} ticks={ticksOf({ begin, end }, frame, tickText)} />
      <Envelopes lines={envelopes} scale={scale} end={end} />
      <FreeLine path={path} frame={frame} scale={scale} />
      <Mark frame={frame} point={point} scale={scale} isLow={isLow} />
    </svg>
  )
}

interface EnvelopesProps {
  lines: EnvelopeLine[]
  scale: Scale
  end: number
}

function Envelopes({ lines, scale, end }: EnvelopesProps) {
  return lines.map(({ spendingId, points }, index) => (
    <path
      key={spendingId}
      className={styles.envelope}
      data-look={index % 4}
      d={stepsOf(points, scale, end)}
    />
  ))
}

interface PartProps {
  frame: Frame
  scale: Scale
}

/** The line of free-to-use, in another colour where it is negative. */
function FreeLine({ path, frame, scale }: PartProps & { path: string }) {
  const id = useId()
  return (
    <>
      <clipPath id={id}>
        <rect x={0} y={scale.y(0) + 1} width={frame.width} height={frame.height} />
      </clipPath>
      <path className={styles.line} d={path} />
      <path className={styles.below} d={path} clipPath={`url(#${CSS.escape(id)})`} />
    </>
  )
}

interface MarkProps extends PartProps {
  point: Point
  isLow: boolean
}

function Mark({ frame, point, scale, isLow }: MarkProps) {
  const [x, y] = [scale.x(point.at), scale.y(point.amount)]
  return (
    <>
      <line
        className={styles.cursor}
        x1={x}
        x2={x}
        y1={frame.top}
        y2={frame.height - frame.bottom}
      />
      <circle className={isLow ? styles.low : styles.dot} cx={x} cy={y} r={5} />
    </>
  )
}
