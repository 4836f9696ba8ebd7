"""The paper's experiment: its set-up, its panels, the numbers it quotes, and a verdict."""

from fsmj.paper.panels import draw_panels
from fsmj.paper.reproduction import reproduce

__all__ = ["draw_panels", "reproduce"]
