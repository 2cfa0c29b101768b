"""One kind of chart a file: a result in, a Vega-Lite specification out."""
