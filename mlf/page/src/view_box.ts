// The part of a drawing that is in sight.
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** `factor` below 1 shows less, larger. The point (fractions of the box) stays where it is. */
export function zoomed(box: Box, factor: number, atX = 0.5, atY = 0.5): Box {
  const [width, height] = [box.width * factor, box.height * factor];
  return {
    x: box.x + (box.width - width) * atX, y: box.y + (box.height - height) * atY, width, height,
  };
}

/** Moved by fractions of the box. */
export function moved(box: Box, byX: number, byY: number): Box {
  return { ...box, x: box.x + byX * box.width, y: box.y + byY * box.height };
}

/**
 * What a window of so many units shows first: the whole width, and from the top as much as stays
 * legible. Small drawings are enlarged a little.
 */
export function fitted(drawing: Box, windowWidth: number, windowHeight: number): Box {
  const high = Math.min(Math.max(drawing.height / windowHeight, 0.7), 1);
  const factor = Math.max(drawing.width / windowWidth, high);
  const [width, height] = [windowWidth * factor, windowHeight * factor];
  return { x: drawing.x + (drawing.width - width) / 2, y: drawing.y, width, height };
}

/** The same size, with a point in its middle. */
export function centred(box: Box, x: number, y: number): Box {
  return { ...box, x: x - box.width / 2, y: y - box.height / 2 };
}
