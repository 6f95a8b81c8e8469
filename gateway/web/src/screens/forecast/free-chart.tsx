import { type KeyboardEvent, type PointerEvent, useState, useSyncExternalStore } from 'react'
import type { Forecast } from '../../api/forecast-queries.ts'
import { dayOf, formatShortDay } from '../../format/days.ts'
import { formatMoney } from '../../format/money.ts'
import { usePreferences } from '../../preferences/preferences.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { forecastWords as words } from '../../words/forecast.ts'
import { type Frame, frameOf, type Point, type Scale, scaleOf, stepsOf } from './chart-scale.ts'
import { amountAt, type EnvelopeLine } from './envelope-lines.ts'
import styles from './forecast.module.css'

interface Props {
  forecast: Forecast
  bankAccountId: string
  envelopes: EnvelopeLine[]
}

/** Steps by which an arrow key moves. */
const moves: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -1e6, End: 1e6 }

/** The line of free-to-use money. Pointer and arrow keys name the amount at each change. */
export function FreeChart({ forecast, bankAccountId, envelopes }: Props) {
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const { areAmountsHidden } = usePreferences()
  const end = Date.parse(forecast.endingTime)
  const points = forecast.free.map(({ date, free }) => ({ at: Date.parse(date), amount: free }))
  const lowest = points.findIndex(({ amount }) => amount === forecast.lowestFree)
  const [shown, setShown] = useState<number | null>(null)
  const frame = frameOf(useIsNarrow())
  const all = [points, ...envelopes.map((line) => line.points)]
  const scale = scaleOf(all.flat(), { end, frame })
  const at = Math.min(shown ?? lowest, points.length - 1)
  const point = points[at]
  const dayTextOf = (instant: number) =>
    formatShortDay(dayOf(new Date(instant), reader.timezone), reader)
  const moneyOf = (amount: number) => (areAmountsHidden ? '•••' : formatMoney(amount, manner))
  const move = (event: KeyboardEvent) => {
    const by = moves[event.key]
    if (by === undefined) return
    event.preventDefault()
    setShown(Math.min(Math.max(at + by, 0), points.length - 1))
  }
  const follow = (event: PointerEvent<SVGSVGElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const x = ((event.clientX - left) / width) * frame.width
    setShown(
      Math.max(
        points.findLastIndex((one) => scale.x(one.at) <= x),
        0,
      ),
    )
  }
  return (
    <div className={styles.chart}>
      <p className={styles.tip} aria-live="polite">
        {point && `${dayTextOf(point.at)}: `}
        <strong>{point && moneyOf(point.amount)}</strong>
        {point &&
          envelopes.map(({ spendingId, name, points: own }) => (
            <span key={spendingId}>{` · ${name} ${moneyOf(amountAt(own, point.at))}`}</span>
          ))}
      </p>
      <svg
        viewBox={`0 0 ${frame.width} ${frame.height}`}
        role="img"
        aria-label={words.chart}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read it out
        tabIndex={0}
        onKeyDown={move}
        onPointerMove={follow}
        onPointerLeave={() => setShown(null)}
      >
        <Lines frame={frame} scale={scale} moneyOf={moneyOf} />
        <Envelopes lines={envelopes} scale={scale} end={end} />
        <path className={styles.line} d={stepsOf(points, scale, end)} />
        {point && <Mark frame={frame} point={point} scale={scale} isLow={at === lowest} />}
        <text className={styles.label} x={frame.left} y={frame.height - 6}>
          {points[0] && dayTextOf(points[0].at)}
        </text>
        <text
          className={`${styles.label} ${styles.last}`}
          x={frame.width - frame.right}
          y={frame.height - 6}
        >
          {dayTextOf(end)}
        </text>
      </svg>
    </div>
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

interface LinesProps {
  frame: Frame
  scale: Scale
  moneyOf: (amount: number) => string
}

function Lines({ frame, scale, moneyOf }: LinesProps) {
  return scale.lines.map((amount) => (
    <g key={amount}>
      <line
        className={amount === 0 ? styles.zero : styles.grid}
        x1={frame.left}
        x2={frame.width - frame.right}
        y1={scale.y(amount)}
        y2={scale.y(amount)}
      />
      <text className={styles.label} x={frame.left} y={scale.y(amount) - 4}>
        {moneyOf(amount)}
      </text>
    </g>
  ))
}

interface MarkProps {
  frame: Frame
  point: Point
  scale: Scale
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

const narrow = matchMedia('(max-width: 40rem)')

function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener)
      return () => narrow.removeEventListener('change', listener)
    },
    () => narrow.matches,
  )
}
