import type { Frame, Scale, Tick } from './chart-scale.ts'
import styles from './forecast.module.css'

interface Props {
  frame: Frame
  scale: Scale
}

/** Horizontal grid lines with their amounts at the left; the line of zero is stronger. */
export function AmountAxis({
  frame,
  scale,
  labels,
}: Props & { labels: { amount: number; text: string }[] }) {
  return labels.map(({ amount, text }) => (
    <g key={amount}>
      <line
        className={amount === 0 ? styles.zero : styles.grid}
        x1={frame.left}
        x2={frame.width - frame.right}
        y1={scale.y(amount)}
        y2={scale.y(amount)}
      />
      <text className={styles.label} data-side="end" x={frame.left - 8} y={scale.y(amount) + 4}>
        {text}
      </text>
    </g>
  ))
}

/** Labels of the days on the time axis. */
export function TimeAxis({ frame, scale, ticks }: Props & { ticks: Tick[] }) {
  const bottom = frame.height - frame.bottom
  return ticks.map(({ at, text, side }) => (
    <g key={at}>
      <line className={styles.grid} x1={scale.x(at)} x2={scale.x(at)} y1={bottom} y2={bottom + 5} />
      <text className={styles.label} data-side={side} x={scale.x(at)} y={frame.height - 6}>
        {text}
      </text>
    </g>
  ))
}

/** Shaded area below zero; none if no point is there. */
export function BelowZero({ frame, scale }: Props) {
  const bottom = frame.height - frame.bottom
  const top = Math.min(scale.y(0), bottom)
  return (
    <rect
      className={styles.debt}
      x={frame.left}
      y={top}
      width={frame.width - frame.left - frame.right}
      height={bottom - top}
    />
  )
}
