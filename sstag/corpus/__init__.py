"""Files of sentences into integer codes and back, to the byte."""
