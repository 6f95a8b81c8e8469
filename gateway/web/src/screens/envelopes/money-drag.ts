import { type DragEvent, useState } from 'react'

/** Type of the dragged data: the ID of the envelope, empty for free-to-use. */
const type = 'application/x-coffer-envelope'

/** A transfer of money by dragging; null is free-to-use. */
export interface Move {
  from: string | null
  to: string | null
}

/** Returns the drag-and-drop attributes of a card whose money can be moved. */
export function useMoneyDrag(spendingId: string | null, onMove: (move: Move) => void) {
  const [isOver, setOver] = useState(false)
  const isMoney = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes(type)
  return {
    draggable: true,
    'data-over': isOver || undefined,
    onDragStart: ({ dataTransfer }: DragEvent) => dataTransfer.setData(type, spendingId ?? ''),
    onDragOver: (event: DragEvent) => {
      if (!isMoney(event)) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false)
      if (!isMoney(event)) return
      event.preventDefault()
      const from = event.dataTransfer.getData(type) || null
      if (from !== spendingId) onMove({ from, to: spendingId })
    },
  }
}
