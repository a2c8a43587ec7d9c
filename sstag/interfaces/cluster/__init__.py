"""Clusters of Dask: the shelf on which their workers have the volumes of a text, and how they are joined.

Whoever can reach a scheduler can run code on its workers, so a cluster belongs into a private network, or behind TLS.
"""
