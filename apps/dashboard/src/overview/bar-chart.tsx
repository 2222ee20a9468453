export interface Bar {
  key: string | number;
  value: number;
  /** Below the bar; shown for some of them */
  label: string;
  /** Read out, and shown while the pointer is on it */
  title: string;
  isMarked?: boolean;
  /** Above the bar */
  note?: string;
}

const height = 96;
const width = 360;
/** Above the highest bar */
const noteHeight = 18;
/** Space around a label, in units of the view box */
const labelWidth = 44;

/** Upright bars from zero. The whole chart has one description, and each bar a title. */
export function BarChart({ bars, description }: { bars: readonly Bar[]; description: string }) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const step = width / Math.max(bars.length, 12);
  const every = Math.ceil(labelWidth / step);
  return (
    <svg className="bar-chart" viewBox={`0 0 ${width} ${height + 20}`} role="img" aria-label={description}>
      <line x1="0" x2={width} y1={height} y2={height} className="chart-line" />
      {bars.map(({ key, value, label, title, isMarked, note }, index) => {
        const size = Math.max(value === 0 ? 0 : 2, (value / most) * (height - noteHeight));
        const shape = Math.min(step * 0.7, 26);
        const middle = step * (index + 0.5);
        return (
          <g key={key}>
            <title>{title}</title>
            <rect
              x={middle - shape / 2}
              y={height - size}
              width={shape}
              height={size}
              rx="2"
              className={isMarked ? 'chart-bar marked' : 'chart-bar'}
            />
            {note === undefined ? null : (
              <text x={middle} y={height - size - 5} textAnchor="middle" className="chart-label">
                {note}
              </text>
            )}
            {(bars.length - 1 - index) % every === 0 ? (
              <text x={middle} y={height + 15} textAnchor="middle" className="chart-label">
                {label}
              </text>
            ) : null}
          </g>
        );
      })}
    </svg>
  );
}
